import type { EnvironmentModuleNode, ViteDevServer } from 'vite';
import type { Renderer, Styles } from './assemble.ts';
import { isFirst, RENDER_ENTRY } from './vite.ts';

// The page as Vite renders it while it's being changed: for the development server, and for the desk's preview.

export async function loadRenderer(vite: ViteDevServer): Promise<Renderer> {
  return (await vite.ssrLoadModule(`/${RENDER_ENTRY}`)) as Renderer;
}

/** All styles go into the page's head, where hot reload can replace each one. */
export async function loadStyles(vite: ViteDevServer): Promise<Styles> {
  const modules = new Set<EnvironmentModuleNode>();
  const collect = (module: EnvironmentModuleNode | undefined) => {
    if (!module || modules.has(module)) return;
    modules.add(module);
    module.importedModules.forEach(collect);
  };
  collect(await vite.environments.ssr.moduleGraph.getModuleByUrl(`/${RENDER_ENTRY}`));
  const sheets = [...modules].map(({ id }) => id ?? '').filter((id) => id.endsWith('.css'));
  sheets.sort((one, other) => Number(isFirst(other)) - Number(isFirst(one)));
  const compiled = await Promise.all(
    sheets.map((id) => vite.environments.client.transformRequest(`${id}?direct`)),
  );
  return { first: compiled.map((sheet) => sheet?.code ?? '').join('\n'), later: '' };
}
