import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A process that is in the registry as if it were a client. */
export class StandIn {
  readonly #process: ChildProcess;

  constructor(
    private readonly configDir: string,
    private readonly session: { readonly sessionId: string; readonly cwd: string },
  ) {
    this.#process = spawn('sleep', ['600'], { stdio: 'ignore' });
  }

  async write(status: string, waitingFor?: string): Promise<void> {
    const pid = this.#process.pid ?? 0;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const now = Date.now();
    const record = {
      ...{ pid, procStart, ...this.session, kind: 'interactive', entrypoint: 'cli', version: '2.1.330' },
      ...{ startedAt: now - 600_000, updatedAt: now, statusUpdatedAt: now - 130_000, status, waitingFor },
    };
    await mkdir(join(this.configDir, 'sessions'), { recursive: true });
    await writeFile(join(this.configDir, 'sessions', `${pid}.json`), JSON.stringify(record));
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }
}
