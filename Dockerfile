# The image of a worker, with the support-desk example. For agents of your own: FROM this image, copy
# them beside `examples`, and name their file in CMD. Not built here yet: no container engine was at
# hand; each RUN line of the first stage was run on its own.

FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && node docker/production-manifest.mjs && npm prune --ignore-scripts --no-audit --no-fund

FROM node:20.20.2-bookworm-slim
# Certificates for TLS to a Temporal server; ps and kill for the tools that start processes.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates procps \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node /data
ENV NODE_ENV=production PERDURE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/examples ./examples
USER node
VOLUME /data
CMD ["node", "dist/cli/main.js", "worker", "examples/support-desk/perdure.config.ts"]
