/** GNU cp, at the paths where every distribution has it; never one that a PATH names. */
const PROGRAMS = ['/usr/bin/cp', '/bin/cp'];
const TIMEOUT_MS = 5000;

/** `/proc/self/fd/N` is the open file itself, whatever stands at its path by now. */
const SOURCE = '/proc/self/fd/3';
const TARGET = '/proc/self/fd/4';

/**
 * Gives an open file the extended attributes and the ACL of another one, and with them its mode, owner and times, as
 * `cp -a` does. Node has no call for them. Only on Linux; elsewhere, and where there is no GNU cp, nothing happens: a copy
 * without them is better than none. Never rejects.
 *
 * @param from descriptor of the file that has them
 * @param to descriptor of a file that this process may write
 */
export async function copyExtendedAttributes(from: number, to: number): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const program of PROGRAMS) if (await run(program, from, to)) return;
}

/** Resolves to whether there is such a program. */
async function run(program: string, from: number, to: number): Promise<boolean> {
  // Loaded when it is needed: the hook never does, and has to start fast.
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(program, ['--attributes-only', '--preserve=all', '--', SOURCE, TARGET], {
      cwd: '/',
      env: {},
      shell: false,
      stdio: ['ignore', 'ignore', 'ignore', from, to],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    child.once('error', () => {
      resolve(false);
    });
    child.once('close', () => {
      resolve(true);
    });
  });
}
