/** An item of a list to choose from. */
export interface Choice<T> {
  readonly value: T;
  /** Shown verbatim: `$(name)` is not an icon. */
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  /** Name of a VS Code product icon. */
  readonly icon?: string;
}

/** An item of a list from which several are chosen. */
export interface TickedChoice<T> extends Choice<T> {
  /** It is chosen unless the person unticks it. */
  readonly isTicked: boolean;
}

/** Choices below a heading; the heading is null for those at the top. */
export interface ChoiceGroup<T> {
  readonly heading: string | null;
  readonly choices: readonly Choice<T>[];
}

export interface ListOptions {
  readonly title: string;
  readonly placeholder: string;
}

export interface Question {
  readonly kind: 'info' | 'warning';
  readonly message: string;
  readonly detail?: string;
  readonly buttons: readonly string[];
}

export type MessageKind = 'info' | 'warning' | 'error';

/** Receives a share in percent, from 0 to 100. */
export type Report = (percent: number) => void;

/**
 * Lists, questions and messages of the window. Texts are shown as they are: none of them makes a link, because titles and names come
 * from transcripts.
 */
export interface Dialogs {
  /** null if the person cancels. */
  choose<T>(groups: readonly ChoiceGroup<T>[], options: ListOptions): Promise<T | null>;
  /** null if the person cancels. The list stays open when the person clicks elsewhere. */
  chooseSeveral<T>(choices: readonly TickedChoice<T>[], options: ListOptions): Promise<readonly T[] | null>;
  /** null if the person cancels. */
  enterText(options: ListOptions & { readonly value: string }): Promise<string | null>;
  /** Not modal: a message that gets the focus. Resolves to the button that was pressed; null when it was closed. */
  ask(question: Question): Promise<string | null>;
  /** Resolves to the button that was pressed; null when the message was closed. There is no time limit. */
  notify(kind: MessageKind, message: string, ...buttons: readonly string[]): Promise<string | null>;
  /** Shown in the status bar for a few seconds. */
  note(message: string): void;
  /** Shows progress if the work takes a while. */
  during<T>(title: string, work: () => Promise<T>): Promise<T>;
  /**
   * Like `during`, with a button that ends the waiting: then `signal` aborts, and null is the result. `report` receives how much is
   * done, in percent.
   */
  duringUnlessSkipped<T>(title: string, work: (signal: AbortSignal, report: Report) => Promise<T>): Promise<T | null>;
}
