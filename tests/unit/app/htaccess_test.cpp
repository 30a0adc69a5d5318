#include "app/htaccess.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

TEST(Htaccess, GuardsItsFolder) {
    for (const char* rules : {"Require all denied",
                              "Require  all  denied\n",
                              "\tRequire\tall\tdenied\r\n",
                              "Deny  from all",
                              "order allow,deny\nDeny\tfrom all",
                              "Order allow,deny",
                              "Require valid-user",
                              "require   valid-user\n",
                              "Require not ip 1.2.3.4",
                              "Require local",
                              "Require \\\nall denied",
                              "<IfModule x>\nRequire all denied\n</IfModule>",
                              "<FilesMatch \".*\">\nRequire all denied\n</FilesMatch>",
                              "<Files *>\nDeny from all",
                              "<Files ~ \".*\">\nDeny from all\n</Files>",
                              "RewriteRule ^ - [F]",
                              "RewriteRule .* - [L,R=404]",
                              "RedirectMatch 404 .*",
                              "# Require all granted\nRequire all denied",
                              "Deny from all\nAllow from 127.0.0.1"})
        EXPECT_EQ(guarded_by(rules), Guarded::all) << rules;
}

TEST(Htaccess, GuardsSomeFiles) {
    for (const char* rules :
         {"<FilesMatch \"\\.(yml|twig)$\">\nRequire all denied\n</FilesMatch>",
          "Require all denied\n<FilesMatch \"\\.jpg$\">\nRequire all granted\n</FilesMatch>",
          "<Files x>\nDeny from all\n</Files>\nRequire all granted",
          "RewriteRule ^(data|conf)/ - [F,L]", "RewriteCond %{HTTP_HOST} a\nRewriteRule .* - [F]",
          "RedirectMatch 403 ^/data"})
        EXPECT_EQ(guarded_by(rules), Guarded::some) << rules;
}

TEST(Htaccess, GuardsNothing) {
    for (const char* rules :
         {"", "Options -Indexes", "# Require all denied", "  #Deny from all",
          "Order allow,deny\nAllow from all", "Require all granted",
          "RewriteRule . /index.php [L]\nErrorDocument 404 /404.php", "RewriteRule ^a$ /b [R=301]",
          "Redirect 301 /404 /new", "<LimitExcept GET POST>\nDeny from all\n</LimitExcept>"})
        EXPECT_EQ(guarded_by(rules), Guarded::nothing) << rules;
}

}  // namespace
}  // namespace ticketgate
