import assert from 'node:assert/strict';
import { type ClientRecord, type SavingQuestions, SavingWatch, type TranscriptSighting } from '../../rooms/providers';

const LOOK_MS = 800;

/** A running client and its files, which a test changes as time passes. */
class Scene {
  nowMs = 1_000_000;
  status: string | null = 'idle';
  statusMs = 1_000_000;
  waitingFor: string | null = null;
  sessionId = 'a';
  sideMs = 0;
  subagentMs = 0;
  transcript: TranscriptSighting | null = { path: '/p/a.jsonl', size: 1000, mtimeMs: 1, identity: '7', isWhole: true };
  hindrance: ReturnType<SavingQuestions['obstacle']> = null;
  isOnPurpose = false;
  readonly told: string[] = [];
  readonly #watch = new SavingWatch({
    obstacle: () => this.hindrance,
    subagentMs: () => this.subagentMs,
    isUnsavedOnPurpose: () => this.isOnPurpose,
  });

  constructor() {
    this.look();
  }

  look(): readonly string[] {
    const record: ClientRecord = {
      sessionId: this.sessionId,
      pid: 4,
      standing: 'runs',
      status: this.status,
      waitingFor: this.waitingFor,
      kind: 'interactive',
      entrypoint: 'cli',
      cwd: '/p',
      agent: null,
      tmux: null,
      parkedJobId: null,
      startedMs: 1,
      statusMs: this.statusMs,
    };
    const causes = this.#watch
      .look([{ record, transcript: this.transcript, sideMs: this.sideMs }], this.nowMs)
      .map(({ cause }) => cause);
    this.told.push(...causes.filter((cause) => !this.told.includes(cause)));
    return causes;
  }

  /** Looks as often as the worker. */
  pass(ms: number): this {
    for (const end = this.nowMs + ms; this.nowMs < end;) {
      this.nowMs = Math.min(end, this.nowMs + LOOK_MS);
      this.look();
    }
    return this;
  }

  become(status: string | null, waitingFor: string | null = null): this {
    this.status = status;
    this.waitingFor = waitingFor;
    this.statusMs = this.nowMs;
    return this;
  }

  write(bytes = 100, isWhole = true): this {
    const { size = 0, identity = '7' } = this.transcript ?? {};
    this.transcript = { path: '/p/a.jsonl', size: size + bytes, mtimeMs: this.nowMs, identity, isWhole };
    return this;
  }

  changeSide(): this {
    this.sideMs = this.nowMs;
    return this;
  }
}

describe('A client that saves nothing', () => {
  it('is noticed ten seconds after a prompt that did not reach the transcript', () => {
    const scene = new Scene().pass(2_000).become('busy').pass(9_000);
    assert.deepEqual(scene.told, []);
    assert.deepEqual(scene.pass(2_000).told, ['unknown']);
  });

  it('is noticed after a turn of a few seconds', () => {
    const scene = new Scene().pass(2_000).become('busy').pass(3_000).become('idle').pass(12_000);
    assert.deepEqual(scene.told, ['unknown']);
  });

  it('is noticed in a new session, whose first prompt creates no transcript', () => {
    const scene = new Scene();
    scene.transcript = null;
    const other = new Scene();
    other.transcript = null;
    other.sessionId = 'b';
    assert.deepEqual(other.pass(2_000).become('busy').pass(12_000).told, ['unknown']);
  });

  it('is noticed if other files changed in a turn of a moment', () => {
    const scene = new Scene().pass(2_000).become('busy').pass(800).changeSide().pass(800).become('idle').pass(12_000);
    assert.deepEqual(scene.told, ['unknown']);
  });

  it('is noticed if it stopped in the middle of a turn and other files changed since', () => {
    const scene = new Scene().pass(2_000).become('busy').write().pass(30_000).changeSide().pass(5_000);
    assert.deepEqual(scene.become('idle').pass(12_000).told, ['unknown']);
  });

  it('is said to be so because of the obstacle, if one can be seen', () => {
    for (const hindrance of ['full-disk', 'read-only'] as const) {
      const scene = new Scene().pass(2_000);
      scene.hindrance = hindrance;
      assert.deepEqual(scene.become('busy').pass(1_000).become('idle').pass(16_000).told, [hindrance]);
    }
  });

  it('is noticed although the turn before, which was written, ended since the last look', () => {
    const scene = new Scene().pass(2_000).become('busy').write().become('idle');
    scene.hindrance = 'read-only';
    scene.nowMs += 1_500;
    scene.become('busy');
    scene.nowMs += 100;
    assert.deepEqual(scene.become('idle').pass(16_000).told, ['read-only']);
  });

  it('is not suspected for a status that follows its last row at once', () => {
    const scene = new Scene().pass(2_000).become('busy').write();
    scene.hindrance = 'read-only';
    scene.nowMs += 600;
    assert.deepEqual(scene.become('idle').pass(30_000).told, []);
  });

  it('is noticed on a full disk that takes a part of a row', () => {
    const scene = new Scene().pass(2_000);
    scene.hindrance = 'full-disk';
    assert.deepEqual(scene.become('busy').write(50, false).pass(1_000).become('idle').pass(16_000).told, ['full-disk']);
  });

  it('is noticed on a full disk that takes the prompt and a part of the answer, after its turn was seen to end', () => {
    const scene = new Scene().pass(2_000);
    scene.hindrance = 'full-disk';
    scene.become('busy').write().become('idle').pass(800).write(100, false).pass(13_000);
    assert.deepEqual(scene.told, ['full-disk']);
  });

  it('stays so until it ends, whatever it writes later', () => {
    const scene = new Scene().pass(2_000).become('busy').pass(12_000).write();
    assert.deepEqual(scene.look(), ['unknown']);
  });

  it('is noticed when its transcript is deleted, and when another is begun', () => {
    const scene = new Scene().pass(2_000);
    scene.transcript = null;
    assert.deepEqual(scene.pass(2_000).told, []);
    assert.deepEqual(scene.pass(3_000).told, ['deleted']);
    const other = new Scene().pass(2_000).become('busy');
    other.transcript = { path: '/p/a.jsonl', size: 200, mtimeMs: 9, identity: '8', isWhole: true };
    assert.deepEqual(other.pass(800).told, ['deleted']);
  });
});

describe('A healthy client is not said to save nothing', () => {
  it('if its prompt was seen in the transcript before the turn was seen in its record', () => {
    const scene = new Scene();
    scene.pass(20_000).write().look();
    scene.become('busy').pass(120_000);
    assert.deepEqual(scene.told, []);
  });

  const HEALTHY: Readonly<Record<string, (scene: Scene) => void>> = {
    'while it waits for a prompt': (scene) => scene.pass(60_000),
    'while a model answers slowly': (scene) => scene.become('busy').pass(200).write().pass(120_000),
    'when its answer is interrupted': (scene) => {
      scene.become('busy').pass(200).write().pass(60_000).become('idle').pass(60_000);
    },
    'in a dialog of its own': (scene) => {
      scene.become('waiting', 'dialog open').pass(60_000).become('idle').pass(60_000);
    },
    'at a command that it answers at once, seen by chance': (scene) => {
      scene.become('busy').look();
      scene.nowMs += 90;
      scene.become('idle').pass(60_000);
    },
    'at a side question': (scene) => {
      scene.become('busy').look();
      scene.nowMs += 20;
      scene.become('waiting', 'dialog open').pass(60_000).become('idle').pass(60_000);
    },
    'at commands between two looks': (scene) => {
      for (let time = 0; time < 5; time++) scene.become('idle').pass(5_000);
    },
    'while it waits for an approval': (scene) => {
      scene.become('busy').write().pass(500).become('waiting', 'permission prompt').pass(120_000);
      scene.become('busy').pass(60_000);
    },
    'while it stores a large result beside a call that lasts': (scene) => {
      scene.become('busy').write().pass(1_000).changeSide().pass(60_000).write().become('idle').pass(60_000);
    },
    'while a subagent changes files after the turn': (scene) => {
      scene.become('busy').write().pass(2_000).become('idle').pass(5_000).changeSide();
      scene.subagentMs = scene.nowMs + 5;
      scene.pass(60_000);
    },
    'when it goes on with another session': (scene) => {
      scene.sessionId = 'b';
      scene.transcript = null;
      scene.pass(60_000);
    },
    'when its transcript is moved': (scene) => {
      scene.transcript = null;
      scene.pass(1_600);
      scene.transcript = { path: '/q/a.jsonl', size: 1000, mtimeMs: 1, identity: '7', isWhole: true };
      scene.pass(60_000);
    },
    'when its transcript is repaired': (scene) => {
      scene.transcript = { path: '/p/a.jsonl', size: 990, mtimeMs: 5, identity: '9', isWhole: true };
      scene.pass(60_000);
    },
    'when it has no transcript yet': (scene) => {
      scene.transcript = null;
      scene.sessionId = 'b';
      scene.pass(2_000).become('busy').pass(400).write(200).pass(60_000);
    },
    'when the disk is full and it does nothing': (scene) => {
      scene.hindrance = 'full-disk';
      scene.pass(60_000);
    },
    'when somebody asked for it': (scene) => {
      scene.isOnPurpose = true;
      scene.become('busy').pass(5_000).become('idle').pass(60_000);
    },
    'when it was already at work at the first look': (scene) => {
      const first = scene.transcript;
      scene.sessionId = 'b';
      scene.transcript = first;
      scene.become('busy').pass(120_000);
    },
    'when the clock was set back': (scene) => {
      scene.become('busy').write().pass(800);
      scene.nowMs -= 3_600_000;
      scene.pass(60_000).become('idle').write().pass(60_000);
    },
    'when it says nothing of what it does': (scene) => scene.become(null).pass(60_000),
  };

  for (const [name, happens] of Object.entries(HEALTHY))
    it(name, () => {
      const scene = new Scene().pass(2_000);
      happens(scene);
      assert.deepEqual(scene.told, []);
    });
});
