# The page and the server in one image. What the page shows is built in, so these are arguments of the build:
#   docker build --build-arg SITE_URL=https://www.example.com --build-arg CONTACT_EMAIL=you@example.com -t site .
# docs/deploy.md says how it is run.

FROM docker.io/library/node:24.21.0-bookworm-slim AS build
WORKDIR /site
COPY package.json package-lock.json .npmrc ./
# Without scripts, since the one of this project would look for a Node.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
ARG SITE_URL
ARG CONTACT_EMAIL
ARG VITE_SUPABASE_URL
ARG VITE_SUPABASE_ANON_KEY
# What only the build needs stays out of the image, and so does what only tests need and a package could use.
RUN node build/build.ts \
	&& npm uninstall --no-save --omit=dev --ignore-scripts --no-audit --no-fund \
		@fontsource-variable/archivo @types/node @types/react @types/react-dom \
		fontkitten lightningcss sharp subset-font typescript vite

FROM docker.io/library/node:24.21.0-bookworm-slim
WORKDIR /site
# With the sources, since `desk doctor` compares the page with them.
COPY --from=build /site .
# All that is ever written, unless DATABASE_URL names a Postgres.
RUN mkdir -m 700 /data && chown node:node /data
VOLUME /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATABASE_URL=file:/data/contact.db MAIL_DIR=/data/mail
EXPOSE 8080
# Whether it lives; /readyz tells whether it can store, for a balancer.
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s \
	CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server/main.ts"]
