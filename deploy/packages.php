# PHP in the image ticketgate:php: what ticketgate starts, and what most applications need.
php8.2-cgi
php8.2-curl
php8.2-gd
php8.2-intl
php8.2-mbstring
php8.2-mysql
php8.2-opcache
php8.2-sqlite3
php8.2-xml
php8.2-zip
