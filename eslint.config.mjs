import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

// Only the extension may use VS Code; protocol and webview may not use Node. The order of the rooms is checked by
// dependency-cruiser (.dependency-cruiser.mjs), which also follows type imports and finds cycles.
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
      { patterns: [{ group, message: `src/${room} runs where this module does not exist.` }] },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'src/core/transcript/wasm/assembly/', 'fixtures/', '.vscode-test/', '.cache/'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
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
    files: ['src/extension/**/*.ts'],
    ignores: ['src/extension/window/windowDialogs.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['showInformationMessage', 'showWarningMessage', 'showErrorMessage'].map((property) => ({
          property,
          message: 'Messages are shown by `Dialogs`, which makes no links of what comes from transcripts.',
        })),
      ],
    },
  },
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
