import type { ConversationCalls } from '../../../src/protocol/channels/conversation';
import type { ConversationHead } from '../../../src/protocol/conversation';

export const SESSION_PATH = '/c/projects/-p/44444444-4444-4444-8444-444444444444.jsonl';

export function head(change: Partial<ConversationHead> = {}): ConversationHead {
  return {
    revision: 1,
    provider: 'claude',
    path: SESSION_PATH,
    id: '44444444-4444-4444-8444-444444444444',
    title: 'Mend the login form',
    cwd: '/src/app',
    model: null,
    gitBranch: null,
    loads: 28,
    of: 28,
    findings: [],
    view: { kind: 'chain' },
    branches: [],
    moreBranches: 0,
    count: 40,
    fileSize: 1000,
    replacements: 0,
    isLive: false,
    problem: null,
    ...change,
  };
}

export interface RecordedCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** A worker that knows one conversation, and records its requests. */
export function fakeConversations(answers: Partial<ConversationCalls> = {}): {
  readonly api: ConversationCalls;
  readonly calls: RecordedCall[];
} {
  const calls: RecordedCall[] = [];
  const given: Partial<ConversationCalls> = {
    openConversation: (filePath) => Promise.resolve(head({ path: filePath })),
    closeConversation: () => Promise.resolve(),
    conversationItems: (_filePath, _view, from) => Promise.resolve({ revision: 1, from, items: [] }),
    conversationOutline: () => Promise.resolve([]),
    conversationText: () => Promise.resolve('the whole text'),
    conversationImage: () => Promise.resolve(null),
    persistedOutput: () => Promise.resolve('the output'),
    findInConversation: () =>
      Promise.resolve({ revision: 1, items: [], counts: [], hits: 0, matched: null, isCut: false, problem: null }),
    indexOfLine: () => Promise.resolve(3),
    conversationLine: () => Promise.resolve('{}'),
    conversationEdit: () => Promise.resolve(null),
    planRepair: () => Promise.reject(new Error('Failed to plan: no test asked for it')),
    ...answers,
  };
  // SAFETY: a test that calls anything else fails.
  const api = new Proxy(given as ConversationCalls, {
    get(target, method) {
      // SAFETY: only the methods of the interface are called.
      const answer = Reflect.get(target, method) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        calls.push({ method: String(method), args });
        return answer(...args);
      };
    },
  });
  return { api, calls };
}
