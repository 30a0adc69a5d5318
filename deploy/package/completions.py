"""Generates completions for bash, zsh and fish from the same table of commands and options.

A place is the path of commands typed so far: "/", "/check", "/id/decode". Options of the program itself may
follow any command, so each place has them too.
"""
HEAD = "# Made from the program's --help (deploy/package/completions.py).\n"


def place(command):
    return "/" + "/".join(command.path)


def below(command):
    """The pattern that matches `PLACE/WORD`, without a second slash after the root."""
    return "/" + "/".join(("", *command.path) if len(command.path) == 1 else command.path)


def options(program, command):
    """The options of a command, and the options of its parents that it does not define itself."""
    found, taken = [], set()
    above = [program]
    for name in command.path:
        above.append(next(one for one in above[-1].commands if one.path[-1] == name))
    for level in reversed(above):
        inherited = level is not command
        for option in level.options:
            if taken.isdisjoint(option.names) and not (inherited and "--version" in option.names):
                found.append(option)
                taken.update(option.names)
    return found


def values(program):
    """The names of the options that take a file, and of those that take another value."""
    every = [one for command in program.tree() for one in command.options if one.value]
    return ([name for one in every if one.takes_file for name in one.names],
            [name for one in every if not one.takes_file for name in one.names])


def unique(names):
    return list(dict.fromkeys(names))


def single(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash(program):
    files, others = (("|".join(unique(names)) or "--") for names in values(program))
    steps = "|".join(below(command) for command in program.tree() if command.path)
    lines = [HEAD + "_ticketgate() {",
             "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}",
             "    local place=/ options='' commands='' i",
             "    for ((i = 1; i < COMP_CWORD; ++i)); do",
             "        case $place/${COMP_WORDS[i]} in",
             f"            {steps}) place=${{place%/}}/${{COMP_WORDS[i]}} ;;",
             "        esac",
             "    done",
             "    COMPREPLY=()",
             "    case $previous in",
             f"        {files}) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;",
             f"        {others}) return ;;",
             "    esac",
             "    case $place in"]
    for command in program.tree():
        flags = " ".join(name for one in options(program, command) for name in one.names)
        names = " ".join(one.path[-1] for one in command.commands)
        lines.append(f"        {place(command)}) options={single(flags)} commands={single(names)} ;;")
    return "\n".join(lines + [
        "    esac",
        "    [[ $current == -* || -z $commands ]] || options=''",
        "    mapfile -t COMPREPLY < <(compgen -W \"$options $commands\" -- \"$current\")",
        "}",
        "complete -o filenames -F _ticketgate ticketgate", ""])


def zsh_words(pairs):
    return " ".join(single(name.replace(":", "\\:") + ":" + text.replace(":", "\\:")) for name, text in pairs)


def zsh(program):
    files, others = ("|".join(unique(names)) or "--" for names in values(program))
    steps = "|".join(below(command) for command in program.tree() if command.path)
    lines = ["#compdef ticketgate", HEAD + "_ticketgate() {",
             "    local place=/ word previous=$words[CURRENT-1]",
             "    local -a options commands",
             "    for word in ${words[2,CURRENT-1]}; do",
             "        case $place/$word in",
             f"            ({steps}) place=${{place%/}}/$word ;;",
             "        esac",
             "    done",
             "    case $previous in",
             f"        ({files}) _files; return ;;",
             f"        ({others}) _message value; return ;;",
             "    esac",
             "    case $place in"]
    for command in program.tree():
        flags = zsh_words((name, one.text) for one in options(program, command) for name in one.names)
        names = zsh_words((one.path[-1], one.text) for one in command.commands)
        lines += [f"        ({place(command)})", f"            options=({flags})",
                  f"            commands=({names}) ;;"]
    return "\n".join(lines + [
        "    esac",
        "    if [[ $words[CURRENT] == -* ]] || (( ! $#commands )); then _describe -o option options",
        "    else _describe command commands",
        "    fi",
        "}",
        '_ticketgate "$@"', ""])


def fish_option(command, option):
    words = ["complete -c ticketgate", f"-n '__ticketgate_at {place(command)}'"]
    for name in option.names:
        words.append(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}")
    if option.value:
        words.append("-r -F" if option.takes_file else "-x")
    return " ".join(words + [f"-d {fish_quoted(option.text)}"])


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(program):
    steps = " ".join(single(below(command)) for command in program.tree() if command.path)
    lines = [HEAD + "function __ticketgate_at",
             "    set -l place /",
             "    for word in (commandline -opc)[2..-1]",
             "        switch $place/$word",
             f"            case {steps}",
             "                set place (string trim --right --chars=/ $place)/$word",
             "        end",
             "    end",
             "    test $place = $argv[1]",
             "end",
             "complete -c ticketgate -f"]
    for command in program.tree():
        lines += [f"complete -c ticketgate -n '__ticketgate_at {place(command)}' "
                  f"-a {one.path[-1]} -d {fish_quoted(one.text)}" for one in command.commands]
        lines += [fish_option(command, one) for one in options(program, command)]
    return "\n".join(lines + [""])
