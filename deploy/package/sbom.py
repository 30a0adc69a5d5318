#!/usr/bin/env python3
"""Prints the program's bill of materials as SPDX 2.3 in JSON: sbom.py BUILD [PACKAGE...].

BUILD is the tree in which the target ticketgate was built. dpkg names the packages of the headers that the compiler
read (from ninja) and of the libraries that the program links (from ldd), so no list is kept by hand. PACKAGEs are
further packages that are shipped with the program.
"""
import datetime
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

# Debian's source package, and the licence of the code that we link or include.
LICENCES = {
    "boost1.81": "BSL-1.0",
    "ca-certificates": "MPL-2.0",
    "cli11": "BSD-3-Clause",
    "fmtlib": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "openssl": "Apache-2.0",
    "re2": "BSD-3-Clause",
    "spdlog": "MIT",
    "yaml-cpp": "MIT",
    "zlib": "Zlib",
}


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def owners(files):
    """The packages that own these files. Debian's index lists some under /lib instead of /usr/lib."""
    names = sorted({name for file in files for name in (file, file.removeprefix("/usr"), "/usr" + file)})
    found = subprocess.run(["dpkg-query", "-S", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return {package.strip() for line in found.stdout.splitlines() if not line.startswith("diversion ")
            for package in line.rpartition(": ")[0].split(",")}


def headers(build):
    """The system headers that the program's own objects include."""
    objects = output("ninja", "-C", build, "-t", "inputs", "ticketgate").split()
    wanted = {name for name in objects if name.endswith(".o")}
    found, inside = set(), False
    for line in output("ninja", "-C", build, "-t", "deps").splitlines():
        if line and not line[0].isspace():
            inside = line.partition(":")[0] in wanted
        elif inside and line.strip().startswith("/usr/"):
            found.add(os.path.normpath(line.strip()))
    return found


def libraries(program):
    linked = re.findall(r"(/\S+) \(0x", output("ldd", program))
    return {os.path.realpath(name) for name in linked} | set(linked)


def facts(package):
    shown = "${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Homepage}"
    name, version, machine, source, source_version, home = output("dpkg-query", "-W", "-f", shown, package).split("\t")
    return {"name": name, "version": version, "machine": machine, "source": source,
            "source_version": source_version, "home": home}


def licence(fact):
    if fact["source"] not in LICENCES:
        sys.exit(f"sbom: the source package {fact['source']} (of {fact['name']}) has no licence in {__file__}")
    return LICENCES[fact["source"]]


def package_of(fact):
    """Describes a package as an SPDX element."""
    version = fact["version"].replace(":", "%3A").replace("+", "%2B").replace("~", "%7E")
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", fact["name"]), "name": fact["name"],
        "versionInfo": fact["version"], "supplier": "Organization: Debian", "filesAnalyzed": False,
        "downloadLocation": "NOASSERTION", **({"homepage": fact["home"]} if fact["home"] else {}),
        "sourceInfo": f"built from {fact['source']} {fact['source_version']}",
        "licenseConcluded": licence(fact), "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator":
                          f"pkg:deb/debian/{fact['name']}@{version}?arch={fact['machine']}&distro=debian-12"}]}


def document(version, linked, included, beside):
    """linked: packages of shared libraries; included: of headers compiled into the program; beside: of shipped files."""
    program = {"SPDXID": "SPDXRef-ticketgate", "name": "ticketgate", "versionInfo": version,
               "supplier": "Organization: The ticketgate authors", "filesAnalyzed": False,
               "downloadLocation": "NOASSERTION", "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
               "copyrightText": "Copyright 2026 The ticketgate authors", "primaryPackagePurpose": "APPLICATION"}
    packages, relations = [program], [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-ticketgate")]
    for kind, found in (("DYNAMIC_LINK", linked), ("STATIC_LINK", included), ("OTHER", beside)):
        for fact in found:
            packages.append(package_of(fact))
            relations.append(("SPDXRef-ticketgate", kind, packages[-1]["SPDXID"]))
    when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp())),
                                           datetime.timezone.utc)
    text = json.dumps(packages, sort_keys=True)
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"ticketgate-{version}",
            "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, text)}",
            "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Tool: ticketgate-deploy/package/sbom.py"]},
            "packages": packages,
            "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                              for one, kind, other in relations]}


def main(build, *beside):
    program = str(Path(build) / "ticketgate")
    linked = owners(libraries(program))
    # Headers of the kernel, of libc and of libstdc++ come with the compiler; those of libraries are code in the program.
    included = {name for name in owners(headers(build)) if facts(name)["source"] not in ("linux", "glibc", "gcc-12")}
    parts = [[facts(name) for name in sorted(names)] for names in (linked, included, beside)]
    version = output(program, "--version").split()[-1]
    json.dump(document(version, *parts), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
