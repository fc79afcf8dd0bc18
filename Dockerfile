# The page and the server in one image, as ONCE expects them: port 80, and all that lasts in /storage.
# Whoever runs it sets SITE_URL and CONTACT_EMAIL; docs/deploy.md says how.

FROM docker.io/library/node:24.21.0-bookworm-slim AS packages
WORKDIR /site
COPY package.json package-lock.json .npmrc ./
# Without scripts, since this project's own would look for a Node.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
# The program is built here. What that takes, and what only tests need, stays out of the image.
RUN node publish/build.ts \
	&& npm uninstall --no-save --omit=dev --ignore-scripts --no-audit --no-fund \
		vite lightningcss @types/node @types/react @types/react-dom typescript \
	# For `npm run desk`, which would otherwise write it where nothing can be written.
	&& node publish/ensure-install.mjs

FROM docker.io/library/node:24.21.0-bookworm-slim
WORKDIR /site
COPY --from=packages /site .
COPY --chmod=755 deploy/container/desk /usr/local/bin/
# Everything that's ever written, even the page: a container publishes it when it starts with other words or settings.
RUN ln -s /storage/page dist && ln -s /storage/.env .env && install -d -o node -g node -m 700 /storage
VOLUME /storage
USER node
# Containers have private addresses, so whoever comes from one is the proxy.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=80 DATABASE_URL=file:/storage/contact.db MAIL_DIR=/storage/mail \
	WORDS_DIR=/storage/mine TRUST_PROXY=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7
EXPOSE 80
# Whether it's up; /readyz tells a load balancer whether it can store.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
	CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/up`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["sh", "-c", "umask 077 && touch /storage/.env && exec node publish/start.ts"]
