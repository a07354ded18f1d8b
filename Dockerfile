# Built from the source beside it; the result holds the binary and six libraries.

FROM swift:6.3-bookworm AS build
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends libmicrohttpd-dev libsqlite3-dev zlib1g-dev libzstd-dev nettle-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN Scripts/release --static-swift-stdlib -Xlinker -s \
    && install -D .build/release/versiond /result/versiond

FROM debian:bookworm-slim
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends libmicrohttpd12 libsqlite3-0 zlib1g libzstd1 libnettle8 curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 65532 --no-create-home versiond \
    && install -d -o versiond -g versiond -m 0700 /var/lib/versiond
COPY --from=build /result/versiond /usr/bin/versiond
USER versiond
VOLUME /var/lib/versiond
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s CMD ["curl", "-fsS", "http://127.0.0.1:8080/readyz"]
# The container's own network is the boundary here: publish the port to whom you trust, or mount a
# file with tokens and set VERSIOND_TOKENS and VERSIOND_OPEN_ACCESS=false.
ENV VERSIOND_OPEN_ACCESS=true
ENTRYPOINT ["/usr/bin/versiond", "serve", "--host", "0.0.0.0", "--directory", "/var/lib/versiond"]
