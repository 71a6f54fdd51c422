import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

// An arrow only ever points down: host, cli → worker → core → shared; webview → shared. Each entry names what a folder may not import.
const LAYERS = {
  shared: ['core', 'worker', 'host', 'cli', 'webview'],
  core: ['worker', 'host', 'cli', 'webview'],
  worker: ['host', 'cli', 'webview'],
  cli: ['worker', 'host', 'webview'],
  host: ['core', 'cli', 'webview'],
  webview: ['core', 'worker', 'host', 'cli'],
};

const layerRules = Object.entries(LAYERS).map(([layer, forbidden]) => ({
  files: [`src/${layer}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./)+(${forbidden.join('|')})(/|$)`,
            message: `src/${layer} does not import from the layers above it.`,
          },
          ...(layer === 'host' ? [] : [{ regex: '^vscode$', message: 'Only src/host knows VS Code.' }]),
          ...(layer === 'shared' ? [{ regex: '^node:', message: 'src/shared runs everywhere.' }] : []),
          ...(layer === 'webview' ? [{ regex: '^node:', message: 'src/webview runs in a browser.' }] : []),
        ],
      },
    ],
  },
}));

// Within core, data flows one way: bytes → facts → resume → findings → plan → applied.
const FLOW = ['scan', 'resume', 'faults', 'repair'];
// What is made of them.
const ABOVE = ['engine', 'fork', 'rewind', 'checkpoints'];
const flowRules = FLOW.map((room, at) => ({
  files: [`src/core/${room}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./)+(worker|host|cli|webview|${[...FLOW.slice(at + 1), ...ABOVE, ...(room === 'repair' ? [] : ['write'])].join('|')})(/|$)`,
            message: 'Data flows one way: scan → resume → faults → repair → write.',
          },
          { regex: '^vscode$', message: 'Only src/host knows VS Code.' },
        ],
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'src/core/scan/wasm/assembly/', 'fixtures/', '.vscode-test/', '.cache/'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.tsx'] })] },
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      'import-x/no-cycle': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  ...layerRules,
  ...flowRules,
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
      },
    },
  },
  prettier,
);
