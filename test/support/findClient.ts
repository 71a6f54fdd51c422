import { execFile } from 'node:child_process';
import { join } from 'node:path';

export type FoundClient =
  { readonly kind: 'found'; readonly path: string } | { readonly kind: 'absent'; readonly reason: string };

/** The real client: `CLAUDE_BIN` when set, else the pinned version, which is downloaded once into a cache folder. */
export async function findClient(): Promise<FoundClient> {
  const named = process.env['CLAUDE_BIN'];
  if (named !== undefined && named !== '') return { kind: 'found', path: named };
  const script = join(__dirname, '..', '..', 'scripts', 'setupClient.mjs');
  return await new Promise((resolve) => {
    execFile(process.execPath, [script], (error, stdout, stderr) => {
      if (error === null) resolve({ kind: 'found', path: stdout.trim() });
      else resolve({ kind: 'absent', reason: stderr.trim() });
    });
  });
}
