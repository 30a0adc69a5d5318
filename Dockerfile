# The builder has deploy/packages.build. Two images are made of it: the last one has the program and the libraries that it
# links; `php` has PHP beside it.
#   docker build --build-arg VERSION="$(cmake/version.sh)" -t ticketgate .
#   docker build --build-arg VERSION="$(cmake/version.sh)" --target php -t ticketgate:php .
FROM debian:bookworm-slim AS builder
COPY deploy/packages.build /tmp/
RUN apt-get update \
 && sed 's/#.*//' /tmp/packages.build | DEBIAN_FRONTEND=noninteractive xargs apt-get install -y --no-install-recommends \
      ca-certificates openssl \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# .dockerignore lets in what the build reads and nothing else.
COPY . .
ARG JOBS=2
ARG VERSION=dev
RUN cmake --preset release -D TG_TOOLS=OFF -D TG_VERSION="$VERSION" \
 && cmake --build build/release --parallel "$JOBS" --target ticketgate \
 && python3 -B deploy/package/sbom.py build/release ca-certificates >/tmp/ticketgate.spdx.json \
 && strip build/release/ticketgate
RUN deploy/image_root.sh build/release/ticketgate /tmp/ticketgate.spdx.json /image \
 && install -D -m 644 deploy/ticketgate.yaml /image/etc/ticketgate/ticketgate.yaml \
 && install -D -m 644 LICENSE /image/usr/share/doc/ticketgate/LICENSE

FROM debian:bookworm-slim AS php
COPY deploy/packages.php /tmp/
# Named by the packages of the libraries that the program links.
COPY --from=builder /image/var/lib/dpkg/status.d/ /tmp/libraries/
RUN apt-get update \
 && { sed 's/#.*//' /tmp/packages.php; ls /tmp/libraries; } | \
      DEBIAN_FRONTEND=noninteractive xargs apt-get install -y --no-install-recommends \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* /tmp/* /var/log/*.log /var/log/apt \
 && install -d -m 755 /var/www/html
COPY --from=builder /image/usr/local/bin/ticketgate /usr/local/bin/
COPY --from=builder /image/usr/share/doc/ticketgate/ /usr/share/doc/ticketgate/
COPY deploy/ticketgate-php.yaml /etc/ticketgate/ticketgate.yaml
ARG VERSION=dev
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="ticketgate with PHP" \
      org.opencontainers.image.description="Runs a PHP application with one request at a time, first in, first out" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
WORKDIR /var/www/html
USER 10001:10001
EXPOSE 8080 9901
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["ticketgate", "healthcheck"]
ENTRYPOINT ["ticketgate", "-c", "/etc/ticketgate/ticketgate.yaml"]

FROM scratch
ARG VERSION=dev
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="ticketgate" \
      org.opencontainers.image.description="HTTP reverse proxy that puts requests in line: one at a time, first in, first out" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=builder /image/ /
ENV PATH=/usr/local/bin
# A number, so that Kubernetes' runAsNonRoot can tell.
USER 10001:10001
# Traffic; health, metrics and the admin interface.
EXPOSE 8080 9901
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["ticketgate", "healthcheck"]
ENTRYPOINT ["ticketgate", "-c", "/etc/ticketgate/ticketgate.yaml"]
