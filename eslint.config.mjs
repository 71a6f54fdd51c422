import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

// An arrow only ever points down: each room may import itself and the rooms named here, types included.
const ROOMS = {
  protocol: [],
  core: ['protocol'],
  worker: ['protocol', 'core'],
  cli: ['protocol', 'core'],
  extension: ['protocol'],
  webview: ['protocol'],
};

const zones = Object.entries(ROOMS).map(([room, below]) => ({
  target: `./src/${room}`,
  from: './src',
  except: [room, ...below].map((name) => `./${name}`),
  message: `src/${room} may import ${below.map((name) => `src/${name}`).join(' and ') || 'no other room'}.`,
}));

// What a room may not import beside its own kind: only the extension knows VS Code, protocol and webview know no Node.
const FOREIGN = {
  protocol: ['vscode', 'node:*'],
  webview: ['vscode', 'node:*'],
  core: ['vscode'],
  worker: ['vscode'],
  cli: ['vscode'],
};
const foreignRules = Object.entries(FOREIGN).map(([room, group]) => ({
  files: [`src/${room}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [{ group, message: `src/${room} runs where this is not to be had.` }] },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'src/core/transcript/wasm/assembly/', 'fixtures/', '.vscode-test/', '.cache/'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.tsx'] })] },
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': ['error', { zones }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  ...foreignRules,
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
