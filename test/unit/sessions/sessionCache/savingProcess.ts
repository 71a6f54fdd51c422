// Run as a separate process: keeps sessions in a cache and saves the cache after each one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnosticsFor } from '../../../rooms/diagnose';
import { openSessionCache } from '../../../../src/core/sessions/sessionCache';
import { diskSessionFiles } from '../../../../src/core/util/diskFiles';
import { scanOf } from '../fakes';

const [folder = '', name = '', count = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  console.log('ready');
  // Both processes start when they get the signal.
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
  const warn = (message: string): void => {
    console.error(message);
    process.exitCode = 1;
  };
  const cache = openSessionCache({ folder, engineVersion: '1', diagnostics: diagnosticsFor(), warn });
  for (let at = 0; at < Number(count); at++) {
    const filePath = join(folder, `${name}${at}.jsonl`);
    writeFileSync(filePath, '');
    const stamp = diskSessionFiles.stampNow(filePath);
    if (stamp === null) throw new Error(`${filePath} is gone`);
    const found = { provider: 'claude', id: `${name}${at}`, path: filePath, projectFolder: folder } as const;
    cache.set(filePath, stamp, scanOf(found, { metadata: { title: `${name}${at}` } }));
    await cache.save();
  }
}

void main();
