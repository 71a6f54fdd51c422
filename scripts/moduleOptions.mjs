/**
 * How a program of several parts is bundled: as ES modules, of which each part that is imported dynamically is a file of its
 * own, loaded when it is first needed.
 *
 * @param {string} folder  where the parts lie, below the output folder
 * @returns {import('esbuild').BuildOptions}
 */
export function moduleOptions(folder) {
  return {
    format: 'esm',
    splitting: true,
    outExtension: { '.js': '.mjs' },
    chunkNames: `${folder}/[name]-[hash]`,
    // CommonJS packages in the bundle call `require` for the modules of Node, and the scanner is found beside the program.
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module';\nconst require = createRequireHere(import.meta.url), __dirname = import.meta.dirname;",
    },
  };
}

/**
 * How the program of the hook is bundled: as one file, which starts without the module node:crypto.
 *
 * @param {Record<string, string>} alias  what the other programs replace, too
 * @returns {import('esbuild').BuildOptions}
 */
export function hookOptions(alias = {}) {
  return { alias: { ...alias, 'node:crypto': './src/cli/hookCrypto.ts' }, loader: { '.wasm': 'binary' } };
}
