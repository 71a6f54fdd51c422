// @ts-check
// Writes down a conversation that nobody had, in the rows of Claude Code 2.1.330.
import { createHash } from 'node:crypto';

const MODEL = 'claude-opus-5-5';
const START_MS = Date.UTC(2026, 5, 1, 10);
const STEP_MS = 9000;
/** Stands for the folder of the project until the transcript is written to one. */
export const DEMO_CWD = '/home/user/project';
/** Stands for the id of the session. */
export const DEMO_SESSION = 'demo-session-of-rethread';

/** @typedef {Record<string, unknown>} Fields */

const DEFERRED_TOOLS = ['CronCreate', 'CronDelete', 'CronList', 'EnterWorktree', 'Monitor', 'NotebookEdit', 'WebFetch'];
const AGENTS = ['claude', 'Explore', 'general-purpose', 'Plan'];
const SKILLS = ['code-review', 'init', 'run', 'security-review', 'simplify'];

/**
 * What the client tells Claude with the first prompt, in its words and order (fixtures/recordings).
 * @type {readonly Fields[]}
 */
const FIRST_NOTES = [
  {
    type: 'environment',
    snapshot: {
      workingDirectory: DEMO_CWD,
      isWorktree: false,
      isGitRepo: true,
      additionalWorkingDirectories: [],
      platform: 'linux',
      shell: 'bash',
      osVersion: 'Linux 6.8.0-generic',
    },
  },
  {
    type: 'model',
    identity: { modelId: MODEL, marketingName: 'Opus 5.5', knowledgeCutoff: 'June 2026' },
    text: `You are powered by the model named Opus 5.5. The exact model ID is ${MODEL}.`,
  },
  { type: 'deferred_tools_delta', addedNames: DEFERRED_TOOLS, addedLines: DEFERRED_TOOLS, removedNames: [] },
  { type: 'agent_listing_delta', addedTypes: AGENTS, addedLines: AGENTS.map((name) => `- ${name}`), isInitial: true },
  { type: 'skill_listing', content: SKILLS.join('\n'), skillCount: SKILLS.length, isInitial: true, names: SKILLS },
  { type: 'session_context', context: { gitStatus: 'Current branch: main\n\nStatus:\n(clean)' } },
  { type: 'date', date: '2026-06-01' },
];

/**
 * @typedef {object} Answer
 * @property {unknown} [content]  what Claude is given; a text, or blocks
 * @property {Fields} [details]   what the client keeps beside it
 * @property {boolean} [isError]
 */

/** A transcript as it is being written: each row hangs from the one before. */
export class DemoTranscript {
  /** @type {Fields[]} */
  rows = [];
  /** @type {string | null} */
  #leaf = null;
  #calls = 0;
  #messages = 0;
  #name;
  /** @type {Fields} */
  #lane;

  /**
   * @param {string} name  ids are made of it
   * @param {string} [agentId]  of the subagent whose transcript it is
   */
  constructor(name, agentId) {
    this.#name = name;
    this.#lane = agentId === undefined ? { isSidechain: false } : { isSidechain: true, agentId };
  }

  /** Of the row that the next one hangs from. */
  get leaf() {
    return this.#leaf;
  }

  /** @param {unknown} content */
  prompt(content) {
    const isFirst = this.#leaf === null;
    this.#messages++;
    const uuid = this.#chain('user', { message: { role: 'user', content } });
    if (isFirst && this.#lane['agentId'] === undefined) {
      for (const attachment of FIRST_NOTES) this.#chain('attachment', { attachment });
    }
    return uuid;
  }

  /** @param {string} text */
  reply(text) {
    return this.#assistant({ type: 'text', text });
  }

  /** @param {string} thinking */
  think(thinking) {
    return this.#assistant({ type: 'thinking', thinking, signature: 'c2lnbmF0dXJl' });
  }

  /**
   * A call and, where there is one, its answer.
   * @param {string} name
   * @param {Fields} input
   * @param {Answer} [answer]
   */
  call(name, input, answer) {
    const id = `toolu_demo_${this.#name}_${++this.#calls}`;
    this.#assistant({ type: 'tool_use', id, name, input });
    if (answer !== undefined) this.answer(id, answer);
    return id;
  }

  /**
   * The answer to the call that was told last.
   * @param {string} id  of the call
   * @param {Answer} answer
   */
  answer(id, { content = '', details, isError = false }) {
    const call = this.#leaf;
    this.#messages++;
    const block = { type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
    this.#chain('user', {
      message: { role: 'user', content: [block] },
      sourceToolAssistantUUID: call,
      ...(details === undefined ? {} : { toolUseResult: details }),
    });
  }

  /**
   * Replaces what was said so far, as /compact does.
   * @param {string} summary
   * @param {number} tokensBefore
   */
  compact(summary, tokensBefore) {
    const logicalParentUuid = this.#leaf;
    this.#leaf = null;
    this.#chain('system', {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      logicalParentUuid,
      compactMetadata: { trigger: 'manual', preTokens: tokensBefore },
    });
    const content = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n${summary}`;
    this.#chain('user', {
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
      message: { role: 'user', content },
    });
  }

  /**
   * What is said next hangs from this row: the person went back to it.
   * @param {string | null} uuid
   */
  goBackTo(uuid) {
    this.#leaf = uuid;
  }

  /** @returns {string} each byte a character */
  text() {
    const rows = this.rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    return Buffer.from(rows).toString('latin1');
  }

  /** @param {Fields} block */
  #assistant(block) {
    const id = `msg_demo_${this.#name}_${this.#messages}`;
    const usage = {
      input_tokens: 6,
      cache_creation_input_tokens: 900,
      cache_read_input_tokens: 14_000,
      output_tokens: 180,
    };
    return this.#chain('assistant', {
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: MODEL,
        content: [block],
        stop_reason: block['type'] === 'tool_use' ? 'tool_use' : 'end_turn',
        usage,
      },
    });
  }

  /**
   * @param {string} type
   * @param {Fields} fields
   * @returns {string}
   */
  #chain(type, fields) {
    const place = this.rows.length;
    const uuid = uuidOf(`${this.#name} ${place}`);
    this.rows.push({
      parentUuid: this.#leaf,
      ...this.#lane,
      type,
      ...fields,
      uuid,
      timestamp: new Date(START_MS + place * STEP_MS).toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd: DEMO_CWD,
      sessionId: DEMO_SESSION,
      version: '2.1.330',
      gitBranch: 'main',
    });
    this.#leaf = uuid;
    return uuid;
  }
}

/** @param {string} name */
function uuidOf(name) {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
