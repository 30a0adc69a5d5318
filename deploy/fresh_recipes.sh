# The recipes of the README and of docs/recipes, each on a system of its own; sourced by fresh_check.sh, which sets
# root (a Debian with the clone), repo, inside, run, say and die.
# shellcheck shell=bash disable=SC2154  # these are the caller's
wanted=() failed=()

# Each line is: recipe NAME BACKEND HOST PAGE [SECTION...]. BACKEND and HOST are arguments of proof.sh.
start="Ten minutes to a safe application" look="Check, start, look"
all_recipes() {
    recipe readme-apache apache localhost:8080 README.md "$start" "Apache with mod_php" "$look"
    recipe readme-php-fpm php-fpm localhost:8080 README.md "$start" "php-fpm without a web server" "$look"
    recipe readme-alone alone localhost:8080 README.md "$start" "PHP without any server" "$look"
    recipe readme-nginx nginx localhost:8080 README.md "$start" "nginx with php-fpm" "$look"
    recipe apache apache localhost docs/recipes/apache.md
    recipe php-fpm php-fpm localhost docs/recipes/php-fpm.md
    recipe nginx nginx localhost docs/recipes/nginx.md
    local page=docs/recipes/wordpress.md first="Install ticketgate"
    recipe wordpress-nginx wordpress blog.example $page "$first" "nginx with php-fpm" WordPress Start
    recipe wordpress-apache wordpress blog.example $page "$first" "Apache with mod_php" WordPress Start
    recipe wordpress-fpm wordpress blog.example $page "$first" "php-fpm, with nginx for files" WordPress Start
    recipe wordpress-alone wordpress blog.example $page "$first" "ticketgate alone" WordPress Start
    page=docs/recipes/dokuwiki.md
    recipe dokuwiki-nginx dokuwiki:nginx wiki.example $page "$first" "nginx with php-fpm" DokuWiki Start
    recipe dokuwiki-apache dokuwiki:apache wiki.example $page "$first" "Apache with mod_php" DokuWiki Start
    recipe dokuwiki-alone dokuwiki:alone wiki.example $page "$first" "ticketgate alone" DokuWiki Start
    page=docs/recipes/front-controller.md
    recipe front-controller-nginx front-controller:nginx app.example $page "$first" "nginx with php-fpm" Start
    recipe front-controller-apache front-controller:apache app.example $page "$first" "Apache with mod_php" Start
    recipe front-controller-fpm front-controller:fpm app.example $page "$first" "php-fpm, with nginx for files" Start
    recipe front-controller-alone front-controller:alone app.example $page "$first" "ticketgate alone" Start
    page=docs/recipes/mediawiki.md
    recipe mediawiki-nginx mediawiki:nginx mediawiki.example $page "$first" "nginx with php-fpm" MediaWiki Start
    recipe mediawiki-apache mediawiki:apache mediawiki.example $page "$first" "Apache with mod_php" MediaWiki Start
    recipe mediawiki-alone mediawiki:alone mediawiki.example $page "$first" "ticketgate alone" MediaWiki Start
    page=docs/recipes/phpmyadmin.md
    recipe phpmyadmin-nginx phpmyadmin:nginx db.example $page "$first" "nginx with php-fpm" phpMyAdmin Start
    recipe phpmyadmin-apache phpmyadmin:apache db.example $page "$first" "Apache with mod_php" phpMyAdmin Start
    recipe phpmyadmin-alone phpmyadmin:alone db.example $page "$first" "ticketgate alone" phpMyAdmin Start
    # These measure only, and do not run when none is named. The last one takes an hour.
    ((${#wanted[@]} > 0)) || return 0
    page=docs/recipes/dokuwiki.md
    recipe dokuwiki-beside dokuwiki:beside wiki.example $page "$first" "nginx with php-fpm" "ticketgate alone" DokuWiki Start
    page=docs/recipes/phpmyadmin.md
    recipe phpmyadmin-beside phpmyadmin:beside db.example $page "$first" "nginx with php-fpm" "ticketgate alone" phpMyAdmin Start
    recipe wordpress-measure wordpress:measure blog.example docs/recipes/wordpress.md "$first" \
        "nginx with php-fpm" WordPress
}

# Installs FRESH_BINARY in place of a build. The build packages are still installed: they include the program's libraries.
bring_binary() {
    [[ -n ${FRESH_BINARY:-} ]] || return 0
    install -D -m 755 "$FRESH_BINARY" "$1/ticketgate/build/release/ticketgate"
    sed -i '/^\.\/dev build/d' "$1"/steps/*.sh
}

recipe() {
    local name=$1 backend=$2 host=$3 page=$4 work status=0 began=$SECONDS
    ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" $name "* ]] || return 0
    work=$(mktemp -d "$root.$name-XXXX")
    mkdir -p "$work/upper/root/steps"
    (cd "$repo" && tests/recipes/extract.py "$page" "$work/upper/root/steps" "${@:5}") || die "$page cannot be followed"
    bring_binary "$work/upper/root"
    unshare --mount "$repo/tests/recipes/in_namespace.sh" "$root" "$work" "$name: $page" "$backend" "$host" || status=$?
    if [[ -d $work/upper/var/tmp/screenshots ]]; then  # of the applications' pages, to be looked at
        mkdir -p "$repo/build/screenshots" && cp "$work"/upper/var/tmp/screenshots/* "$repo/build/screenshots/"
    fi
    rm -rf --one-file-system "$work"
    printf '\n%s: %s after %d s\n' "$name" "$( ((status == 0)) && echo good || echo FAILED)" "$((SECONDS - began))"
    ((status == 0)) || failed+=("$name")
}

# recipes [NAME...]
recipes() {
    wanted=("$@")
    if [[ -z ${FRESH_BINARY:-} ]]; then run "./dev build"
    else run "apt-get update -q && sed 's/#.*//' deploy/packages.build | DEBIAN_FRONTEND=noninteractive \
        xargs apt-get install -q -y --no-install-recommends | tail -1"
    fi
    all_recipes
    ((${#failed[@]} == 0)) || die "failed: ${failed[*]}"
    say "each recipe works as it stands"
}
