# Two stages: the builder has deploy/packages.build; the image has the program and the libraries that it links.
#   docker build --build-arg VERSION="$(cmake/version.sh)" -t ticketgate .
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
