// @ts-check
// Ends with exit code 1 when a file that ships has outgrown its budget.
import { statSync } from 'node:fs';

const KB = 1024;
const BUDGETS = [
  { file: 'dist/extension.js', bytes: 150 * KB },
  { file: 'dist/worker.js', bytes: 300 * KB },
  { file: 'dist/reading.js', bytes: 300 * KB },
  { file: 'dist/usage.js', bytes: 300 * KB },
  { file: 'dist/rewinding.js', bytes: 300 * KB },
  // Claude waits for it before each change of a file.
  { file: 'dist/checkpoint.js', bytes: 100 * KB },
  // Together 250 KB.
  { file: 'dist/webview/conversation.js', bytes: 203.9 * KB },
  { file: 'dist/webview/highlight.js', bytes: 46.1 * KB },
  { file: 'dist/webview/tokens.js', bytes: 60_000 },
  { file: 'rethread.vsix', bytes: 1024 * KB },
];

for (const { file, bytes } of BUDGETS) {
  const { size } = statSync(file);
  const isOver = size > bytes;
  console.log(
    `${file}: ${(size / KB).toFixed(1)} KB of ${(bytes / KB).toFixed(1)} KB${isOver ? ', OVER ITS BUDGET' : ''}`,
  );
  if (isOver) process.exitCode = 1;
}
