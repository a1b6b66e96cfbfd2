# The service without the embedded PostgreSQL: set DATABASE_URL. deploy/README.md says how to use the image.
# Pin both base images by digest (`FROM image@sha256:…`) if your builds must be reproducible.

FROM node:24-trixie-slim AS source
WORKDIR /src
# First only what decides on the packages, so that a change of the code does not install them again.
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
COPY packages/contract/package.json packages/contract/
COPY packages/docs/package.json packages/docs/
COPY packages/server/package.json packages/server/

FROM source AS build
RUN npm ci
COPY . .
RUN node scripts/pack-server.mjs /out \
    && mkdir -p /app/packages/server /data \
    && tar -xzf /out/runwright-server-*.tgz --strip-components=1 -C /app/packages/server

# What the server needs, in the versions of the lockfile. Types, source maps and Markdown of packages are not needed,
# except licenses.
FROM source AS dependencies
RUN npm ci --workspace @runwright/server --omit=dev --omit=optional \
    && rm -rf node_modules/@runwright node_modules/.package-lock.json \
    && mkdir -p packages/server/node_modules \
    && find node_modules packages/server/node_modules -type f ! -iname 'licen[cs]e*' \
      \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete

# No shell and no package manager; the user is 65532.
FROM gcr.io/distroless/nodejs24-debian13:nonroot
WORKDIR /app
COPY --from=dependencies /src/node_modules /app/node_modules
COPY --from=dependencies /src/packages/server/node_modules /app/packages/server/node_modules
COPY --from=build /app/packages/server /app/packages/server
# An empty folder of the user, so that a new volume belongs to the user too.
COPY --from=build --chown=65532:65532 /data /data
ENV NODE_ENV=production \
    RUNWRIGHT_HOST=0.0.0.0 \
    RUNWRIGHT_PORT=8080 \
    RUNWRIGHT_DATA_DIR=/data
USER 65532:65532
VOLUME /data
EXPOSE 8080
# For `start` and `api`, on the port that they listen on. A worker has no port: turn the check off for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:' + process.env.RUNWRIGHT_PORT + '/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/packages/server/bin/runwright.mjs"]
CMD ["start"]
