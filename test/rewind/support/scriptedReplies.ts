import type { ApiMessage, ReplyBlock, Replier } from '../../support/mockApi';

export interface ToolCall {
  readonly name: string;
  readonly input: object;
}

/** The calls of one turn: each inner list is one message of parallel calls. */
export type Turn = readonly (readonly ToolCall[])[];

const SCRIPT = /@@(\[[\s\S]*\])@@/;

/** A prompt that makes Claude send these calls, one message after the other. */
export function promptFor(words: string, turn: Turn): string {
  return `${words} @@${JSON.stringify(turn)}@@`;
}

/** A model that follows the last prompt. */
export function scriptedReplier(): Replier {
  let calls = 0;
  return (messages) => {
    const at = messages.findLastIndex((message) => message.role === 'user' && scriptOf(message) !== null);
    const turn = at < 0 ? null : scriptOf(messages[at]);
    const step = turn?.[messages.slice(at + 1).filter(({ role }) => role === 'assistant').length];
    if (step === undefined) return [{ type: 'text', text: 'Done.' }];
    return step.map(({ name, input }): ReplyBlock => {
      calls += 1;
      return { type: 'tool_use', id: `toolu_rewind${String(calls).padStart(14, '0')}`, name, input };
    });
  };
}

function scriptOf(message: ApiMessage | undefined): Turn | null {
  for (const text of textsOf(message?.content)) {
    const script = SCRIPT.exec(text)?.[1];
    // SAFETY: written by `promptFor`.
    if (script !== undefined) return JSON.parse(script) as Turn;
  }
  return null;
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return (content as readonly { type?: unknown; text?: unknown }[]).flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
}
