import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { TERMINAL_VARIABLE } from '../../protocol/terminals';
import { Disposable, Emitter } from '../lifetime';
import type { OpenTerminal } from './reconnecting';
import type { TerminalWindow } from './sessionTerminals';

export interface TerminalRequest {
  /** Identifies the terminal. */
  readonly id: string;
  readonly name: string;
  /** Absolute; null for VS Code's default. */
  readonly cwd: string | null;
  /** null unsets a variable. */
  readonly env: Readonly<Record<string, string | null>>;
  /** The command to type and run. */
  readonly command: string;
}

/** A shell starts sooner; the promise of a terminal without a process never resolves. */
const PID_TIMEOUT_MS = 2000;

/** VS Code's terminals. */
export class WindowTerminals extends Disposable implements TerminalWindow {
  readonly #known = new Map<vscode.Terminal, Known>();
  readonly #changed = this._register(new Emitter<void>());
  readonly #closed = this._register(new Emitter<{ readonly terminal: OpenTerminal; readonly isOver: boolean }>());

  readonly onChange = this.#changed.event;
  readonly onClose = this.#closed.event;

  constructor() {
    super();
    const changed = (): void => {
      this.#changed.fire();
    };
    this._register(vscode.window.onDidChangeActiveTerminal(changed));
    this._register(vscode.window.onDidOpenTerminal(changed));
    this._register(
      vscode.window.onDidCloseTerminal((terminal) => {
        const known = this.#known.get(terminal);
        this.#known.delete(terminal);
        const isOver = terminal.exitStatus?.reason !== vscode.TerminalExitReason.Shutdown;
        if (known !== undefined) this.#closed.fire({ terminal: known, isOver });
        changed();
      }),
    );
  }

  get active(): OpenTerminal | null {
    const { activeTerminal } = vscode.window;
    return activeTerminal === undefined ? null : (this.#known.get(activeTerminal) ?? null);
  }

  async list(): Promise<readonly OpenTerminal[]> {
    const terminals = vscode.window.terminals.map((terminal) => this.#of(terminal));
    await Promise.race([Promise.all(terminals.map(({ started }) => started)), sleep(PID_TIMEOUT_MS)]);
    return terminals;
  }

  /** Opens a terminal in the panel, focuses it and runs a command in it. */
  open({ id, name, cwd, env, command }: TerminalRequest): OpenTerminal {
    const terminal = vscode.window.createTerminal({
      name,
      env: { ...env, [TERMINAL_VARIABLE]: id },
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      ...(cwd === null ? {} : { cwd }),
    });
    const known = this.#of(terminal);
    terminal.show();
    terminal.sendText(command);
    return known;
  }

  #of(terminal: vscode.Terminal): Known {
    const known = this.#known.get(terminal) ?? new Known(terminal);
    this.#known.set(terminal, known);
    return known;
  }
}

class Known implements OpenTerminal {
  readonly id: string | null;
  pid: number | null = null;
  /** Resolves when the pid is known. */
  readonly started: Promise<void>;

  constructor(private readonly terminal: vscode.Terminal) {
    // SAFETY: terminals of other kinds have no such property, and those that VS Code has restored may hold undefined.
    const { env } = terminal.creationOptions as { readonly env?: vscode.TerminalOptions['env'] | undefined };
    this.id = env?.[TERMINAL_VARIABLE] ?? null;
    this.started = Promise.resolve(terminal.processId).then((pid) => {
      this.pid = pid ?? null;
    });
  }

  show(): void {
    this.terminal.show();
  }
}
