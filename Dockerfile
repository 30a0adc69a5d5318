# Two stages: the builder has deploy/packages.build, the image has the program and the libraries it links.
FROM debian:bookworm-slim AS builder
COPY deploy/packages.build /tmp/
RUN apt-get update \
 && sed 's/#.*//' /tmp/packages.build | DEBIAN_FRONTEND=noninteractive xargs apt-get install -y --no-install-recommends \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# .dockerignore lets in what the build reads and nothing else.
COPY . .
ARG JOBS=2
RUN cmake --preset release -D TG_TOOLS=OFF \
 && cmake --build build/release --parallel "$JOBS" --target ticketgate \
 && strip build/release/ticketgate
# The packages that own what the program links, asked of the linker instead of kept by hand.
RUN ldd build/release/ticketgate | sed -n 's/.*=> .*\/\([^ ]*\) .*/*\/\1/p' | xargs dpkg-query -S \
  | cut -d: -f1 | sort -u >/runtime-packages && cat /runtime-packages

FROM debian:bookworm-slim
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="ticketgate" \
      org.opencontainers.image.description="HTTP reverse proxy that puts requests in line: one at a time, first in, first out" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=builder /runtime-packages /tmp/
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive xargs apt-get install -y --no-install-recommends ca-certificates </tmp/runtime-packages \
 && rm -rf /var/lib/apt/lists/* /tmp/runtime-packages
COPY --from=builder /source/build/release/ticketgate /usr/local/bin/ticketgate
COPY deploy/ticketgate.yaml /etc/ticketgate/ticketgate.yaml
# A number, so that Kubernetes' runAsNonRoot can tell.
USER 10001:10001
# Traffic; health, metrics and the admin interface.
EXPOSE 8080 9901
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["ticketgate", "healthcheck"]
ENTRYPOINT ["ticketgate", "-c", "/etc/ticketgate/ticketgate.yaml"]
