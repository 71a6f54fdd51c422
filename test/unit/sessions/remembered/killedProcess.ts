// Run as a separate process, which is killed: remembers one terminal after the other, and says when each has been written.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryOf, openWindow, STORE } from './rememberingWindow';

const [folder = '', name = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const { store } = openWindow(folder, name);
  for (let at = 0; ; at++) {
    // The store keeps 200 in all.
    store.remember('w', memoryOf(`${name}-${at - 1}`, `${name}-${at}`));
    while (!textOf(join(folder, STORE)).includes(`"${name}-${at}"`)) await new Promise(setImmediate);
    process.stdout.write(`${name}-${at}\n`);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

void main();
