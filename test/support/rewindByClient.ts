import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { clientEnvironment, type ClientPlace } from './realClient';

const TIMEOUT_MS = 60_000;

/** The client's answer to `rewind_files`. */
export interface ClientRewind {
  readonly canRewind?: boolean;
  readonly error?: string;
  readonly filesChanged?: readonly string[];
}

/** Lets the real client rewind the files of a session to a prompt, over its SDK's control protocol. */
export function rewindByClient(
  client: string,
  place: ClientPlace,
  sessionId: string,
  promptUuid: string,
): Promise<ClientRewind> {
  const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const child = spawn(client, ['-p', ...streams, '--resume', sessionId], {
    cwd: place.cwd,
    env: { ...clientEnvironment(place), CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let answer: ClientRewind | null = null;
    let said = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    createInterface(child.stdout).on('line', (line) => {
      answer ??= answerOf(line);
      if (answer !== null) child.stdin.end();
    });
    child.on('error', reject);
    child.stdin.on('error', () => undefined);
    child.on('close', () => {
      clearTimeout(timer);
      if (answer === null) reject(new Error(`The client did not answer: ${said}`));
      else resolve(answer);
    });
    const request = { subtype: 'rewind_files', user_message_id: promptUuid };
    child.stdin.write(`${JSON.stringify({ type: 'control_request', request_id: 'rewind', request })}\n`);
  });
}

function answerOf(line: string): ClientRewind | null {
  // SAFETY: the client's output; all fields are optional.
  const { type, response } = JSON.parse(line) as {
    type?: unknown;
    response?: { subtype?: unknown; error?: string; response?: ClientRewind };
  };
  if (type !== 'control_response' || response === undefined) return null;
  return response.response ?? { canRewind: false, error: response.error ?? 'no answer' };
}
