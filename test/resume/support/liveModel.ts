import type { ApiMessage, ApiRequest, Refusal, Replier, Reply, ReplyBlock } from '../../support/mockApi';

type Answer = readonly ReplyBlock[] | Reply | Refusal;

/** The words with which the client asks for the summary of a conversation. */
const ASKS_FOR_SUMMARY = 'create a detailed summary';

/** Text that no other text of the shape contains. */
type Numbered = (words: string) => string;

/** A model that follows the script of one shape. */
export class LiveModel {
  readonly #answers: Answer[] = [];
  readonly #agents = new Map<string, Answer[]>();
  readonly #summaries: Answer[] = [];
  #refusal: Refusal | null = null;
  #summaryRefusal: Refusal | null = null;
  #calls = 0;

  constructor(private readonly numbered: Numbered) {}

  /** Its next answers in the main conversation. When there is none left, it answers with a text. */
  script(...answers: readonly Answer[]): void {
    this.#answers.push(...answers);
  }

  /** Its next answers to the subagent whose prompt contains the words. */
  scriptAgent(words: string, ...answers: readonly Answer[]): void {
    this.#agents.set(words, [...(this.#agents.get(words) ?? []), ...answers]);
  }

  /** Its next answers to the client's requests for a summary. When there is none left, it writes one. */
  scriptSummary(...answers: readonly Answer[]): void {
    this.#summaries.push(...answers);
  }

  /** When its script is done, refuses every request of the main conversation until it is told otherwise by null. */
  refuse(refusal: Refusal | null): void {
    this.#refusal = refusal;
  }

  /** The same for the client's requests for a summary. */
  refuseSummary(refusal: Refusal | null): void {
    this.#summaryRefusal = refusal;
  }

  say(words = 'Done.'): ReplyBlock {
    return { type: 'text', text: this.numbered(words) };
  }

  think(): ReplyBlock {
    return { type: 'thinking', thinking: this.numbered('Hm.'), signature: 'c2lnbmF0dXJl' };
  }

  redacted(): ReplyBlock {
    return { type: 'redacted_thinking', data: Buffer.from(this.numbered('secret')).toString('base64') };
  }

  call(name: string, input: object): ReplyBlock {
    return { type: 'tool_use', id: this.#callId('toolu'), name, input };
  }

  /** A command whose output is unique, unless it is given. */
  bash(command = `echo '${this.numbered('output')}'`, more: object = {}): ReplyBlock {
    return this.call('Bash', { command, description: 'run a command', ...more });
  }

  /** A search that the API runs itself, with its result. */
  search(): [call: ReplyBlock, result: ReplyBlock] {
    const id = this.#callId('srvtoolu');
    const page = { type: 'web_search_result', url: 'https://example.test/', title: this.numbered('A page') };
    return [
      { type: 'server_tool_use', id, name: 'web_search', input: { query: this.numbered('words') } },
      {
        type: 'web_search_tool_result',
        tool_use_id: id,
        content: [{ ...page, encrypted_content: 'YWJj', page_age: null }],
      },
    ];
  }

  answer({ messages }: ApiRequest): Answer {
    const last = JSON.stringify(messages.findLast(({ role }) => role === 'user') ?? null);
    if (last.includes(ASKS_FOR_SUMMARY)) return this.#summaryRefusal ?? this.#summaries.shift() ?? [this.#summary()];
    const first = JSON.stringify(messages.slice(0, 1));
    for (const [words, answers] of this.#agents) {
      if (first.includes(words)) return answers.shift() ?? [this.say('The agent is done.')];
    }
    if (this.#refusal !== null && this.#answers.length === 0) return this.#refusal;
    return this.#answers.shift() ?? [this.say()];
  }

  #summary(): ReplyBlock {
    return { type: 'text', text: `<analysis>x</analysis>\n<summary>\n${this.numbered('What was said.')}\n</summary>` };
  }

  #callId(prefix: string): string {
    this.#calls += 1;
    return `${prefix}_live${String(this.#calls).padStart(16, '0')}`;
  }
}

/** Answers the requests of each shape by its own model. */
export function liveReplier(models: ReadonlyMap<string, LiveModel>): Replier {
  return (_messages: readonly ApiMessage[], request) =>
    models.get(request.tag)?.answer(request) ?? [{ type: 'text', text: 'OK.' }];
}
