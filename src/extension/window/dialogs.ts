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

/** Choices below a heading; the heading is null for those at the top. */
export interface ChoiceGroup<T> {
  readonly heading: string | null;
  readonly choices: readonly Choice<T>[];
}

export interface CheckedChoice<T> extends Choice<T> {
  readonly isChecked: boolean;
  /** The item cannot be toggled; its description says why. */
  readonly isFixed: boolean;
}

export interface CheckedGroup<T> extends ChoiceGroup<T> {
  readonly choices: readonly CheckedChoice<T>[];
}

export interface ListOptions {
  readonly title: string;
  readonly placeholder: string;
}

export interface Question {
  readonly kind: 'info' | 'warning';
  readonly message: string;
  readonly detail?: string;
  /** In addition to Cancel. */
  readonly buttons: readonly string[];
}

export type MessageKind = 'info' | 'warning' | 'error';

/** Lists, questions and messages of the window, for flows that ask several things in turn. */
export interface Dialogs {
  /** null if the person cancels. */
  choose<T>(groups: readonly ChoiceGroup<T>[], options: ListOptions): Promise<T | null>;
  /** The checked items, in order; null if the person cancels. */
  chooseMany<T>(groups: readonly CheckedGroup<T>[], options: ListOptions): Promise<readonly T[] | null>;
  /** null if the person cancels. */
  enterText(options: ListOptions & { readonly value: string }): Promise<string | null>;
  /** Modal. Resolves to the button that was pressed; null for Cancel. */
  ask(question: Question): Promise<string | null>;
  /** Resolves to the button that was pressed; null when the message was closed. There is no time limit. */
  notify(kind: MessageKind, message: string, ...buttons: readonly string[]): Promise<string | null>;
  /** Shown in the status bar for a few seconds. */
  note(message: string): void;
  /** Shows progress if the work takes a while. */
  during<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** Like `during`, with a button that ends the waiting: then `signal` aborts, and null is the result. */
  duringUnlessSkipped<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | null>;
}
