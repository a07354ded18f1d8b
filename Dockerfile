# Built from the source beside it; the result holds the binary and eight libraries.

# By digest where an image is published: docker build --build-arg BASE_IMAGE=debian@sha256:…
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG BASE_IMAGE=debian:bookworm-slim
FROM ${SWIFT_IMAGE} AS build
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends libmicrohttpd-dev libsqlite3-dev zlib1g-dev libzstd-dev libpq-dev libre2-dev libssl-dev libjemalloc-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
# docker build --build-arg VERSIOND_COMMIT=$(git rev-parse --short=12 HEAD)
ARG VERSIOND_COMMIT=
RUN VERSIOND_COMMIT=$VERSIOND_COMMIT Scripts/release --static-swift-stdlib -Xlinker -s \
    && install -D .build/release/versiond /result/versiond

FROM ${BASE_IMAGE}
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends libmicrohttpd12 libsqlite3-0 zlib1g libzstd1 libpq5 libre2-9 libssl3 libjemalloc2 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 65532 --no-create-home versiond \
    && install -d -o versiond -g versiond -m 0700 /var/lib/versiond
COPY --from=build /result/versiond /usr/bin/versiond
COPY LICENSE NOTICE /usr/share/doc/versiond/
USER versiond
# The only place that is written: the rest may be read-only (docker run --read-only).
VOLUME /var/lib/versiond
EXPOSE 8080
STOPSIGNAL SIGTERM
# The first start makes a file with one token, and prints it once: docker logs shows it. Behind a proxy that
# decides who comes in, set VERSIOND_MAKES_TOKEN=false, VERSIOND_TOKENS= and VERSIOND_OPEN_ACCESS=true.
ENV VERSIOND_HOST=0.0.0.0 \
    VERSIOND_DIRECTORY=/var/lib/versiond \
    VERSIOND_TOKENS=/var/lib/versiond/tokens.json \
    VERSIOND_MAKES_TOKEN=true
HEALTHCHECK --interval=10s --timeout=5s CMD ["/usr/bin/versiond", "health"]
ENTRYPOINT ["/usr/bin/versiond"]
CMD ["serve"]
