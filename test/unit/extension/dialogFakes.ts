import type {
  ChoiceGroup,
  Dialogs,
  ListOptions,
  MessageKind,
  Question,
  Report,
  TickedChoice,
} from '../../../src/extension/window/dialogs';

/** A quick pick as the person saw it. */
export interface ShownList {
  readonly title: string;
  /** `heading` and its choices, each with its description. */
  readonly lines: readonly string[];
}

export interface Answers {
  /** Labels of the choices to take, for each quick pick; null cancels. */
  readonly choose?: readonly (string | null)[];
  /** Whether to accept the ticked choices of each list. */
  readonly chooseSeveral?: readonly boolean[];
  readonly enter?: readonly (string | null)[];
  /** Buttons of questions. */
  readonly ask?: readonly (string | null)[];
  /** The person waits for no check. */
  readonly skips?: boolean;
  /** Buttons of messages, by the start of the message. All other messages close by themselves. */
  readonly notify?: Readonly<Record<string, string>>;
}

/** A person who answers as configured, and a record of what was shown. */
export class FakeDialogs implements Dialogs {
  readonly lists: ShownList[] = [];
  readonly questions: Question[] = [];
  readonly messages: { readonly kind: MessageKind; readonly message: string; readonly buttons: readonly string[] }[] =
    [];
  readonly notes: string[] = [];
  readonly entered: (ListOptions & { readonly value: string })[] = [];
  readonly #choose: (string | null)[];
  readonly #chooseSeveral: boolean[];
  readonly #enter: (string | null)[];
  readonly #ask: (string | null)[];
  readonly #notify: Readonly<Record<string, string>>;
  readonly #skips: boolean;

  constructor({ choose = [], chooseSeveral = [], enter = [], ask = [], notify = {}, skips = false }: Answers = {}) {
    this.#skips = skips;
    this.#choose = [...choose];
    this.#chooseSeveral = [...chooseSeveral];
    this.#enter = [...enter];
    this.#ask = [...ask];
    this.#notify = notify;
  }

  /** Texts of the messages that were shown. */
  get reported(): readonly string[] {
    return this.messages.map(({ message }) => message);
  }

  choose<T>(groups: readonly ChoiceGroup<T>[], { title }: ListOptions): Promise<T | null> {
    this.#show(title, groups);
    const label = next(this.#choose, title);
    if (label === null) return Promise.resolve(null);
    const chosen = groups.flatMap(({ choices }) => choices).find((choice) => choice.label === label);
    if (chosen === undefined) throw new Error(`“${title}” offers no “${label}”`);
    return Promise.resolve(chosen.value);
  }

  chooseSeveral<T>(choices: readonly TickedChoice<T>[], { title }: ListOptions): Promise<readonly T[] | null> {
    this.#show(title, [{ heading: null, choices }]);
    if (!next(this.#chooseSeveral, title)) return Promise.resolve(null);
    return Promise.resolve(choices.filter(({ isTicked }) => isTicked).map(({ value }) => value));
  }

  enterText(options: ListOptions & { readonly value: string }): Promise<string | null> {
    this.entered.push(options);
    return Promise.resolve(next(this.#enter, options.title));
  }

  ask(question: Question): Promise<string | null> {
    this.questions.push(question);
    const answer = next(this.#ask, question.message);
    if (answer !== null && !question.buttons.includes(answer)) {
      throw new Error(`“${question.message}” has no button “${answer}”`);
    }
    return Promise.resolve(answer);
  }

  notify(kind: MessageKind, message: string, ...buttons: readonly string[]): Promise<string | null> {
    this.messages.push({ kind, message, buttons });
    const pressed = Object.entries(this.#notify).find(([beginning]) => message.startsWith(beginning))?.[1];
    if (pressed !== undefined && !buttons.includes(pressed)) throw new Error(`“${message}” has no button “${pressed}”`);
    return Promise.resolve(pressed ?? null);
  }

  note(message: string): void {
    this.notes.push(message);
  }

  during<T>(_title: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async duringUnlessSkipped<T>(
    _title: string,
    work: (signal: AbortSignal, report: Report) => Promise<T>,
  ): Promise<T | null> {
    const controller = new AbortController();
    const result = work(controller.signal, () => undefined);
    if (!this.#skips) return result;
    controller.abort();
    await result.catch(() => undefined);
    return null;
  }

  #show<T>(title: string, groups: readonly ChoiceGroup<T>[]): void {
    const lines = groups.flatMap(({ heading, choices }) => [
      ...(heading === null || choices.length === 0 ? [] : [`[${heading}]`]),
      ...choices.map(({ label, description, detail }) => [label, description, detail].filter(Boolean).join(' | ')),
    ]);
    this.lists.push({ title, lines });
  }
}

function next<T>(answers: T[], what: string): T {
  const answer = answers.shift();
  if (answer === undefined) throw new Error(`Nobody said what to answer to “${what}”`);
  return answer;
}
