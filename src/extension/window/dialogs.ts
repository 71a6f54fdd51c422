/** Something to choose from a list. */
export interface Choice<T> {
  readonly value: T;
  /** Shown as it is: `$(name)` stands for itself. */
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  /** A product icon of VS Code. */
  readonly icon?: string;
}

/** Choices below a heading; null for those at the top. */
export interface ChoiceGroup<T> {
  readonly heading: string | null;
  readonly choices: readonly Choice<T>[];
}

export interface CheckedChoice<T> extends Choice<T> {
  readonly isChecked: boolean;
  /** It stays as it is, for the reason that its description says. */
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
  /** Beside Cancel. */
  readonly buttons: readonly string[];
}

export type MessageKind = 'info' | 'warning' | 'error';

/** Lists, questions and messages of the window, for what asks the person several things in turn. */
export interface Dialogs {
  /** null when the person turns away. */
  choose<T>(groups: readonly ChoiceGroup<T>[], options: ListOptions): Promise<T | null>;
  /** Those that are checked, in their order; null when the person turns away. */
  chooseMany<T>(groups: readonly CheckedGroup<T>[], options: ListOptions): Promise<readonly T[] | null>;
  /** null when the person turns away. */
  enterText(options: ListOptions & { readonly value: string }): Promise<string | null>;
  /** Holds up the window. The button that was pressed; null for Cancel. */
  ask(question: Question): Promise<string | null>;
  /** The button that was pressed; null when the message went away. It may stay for as long as it likes. */
  tell(kind: MessageKind, message: string, ...buttons: readonly string[]): Promise<string | null>;
  /** In the status bar, for some seconds. */
  note(message: string): void;
  /** Says what is being done where that takes a while. */
  during<T>(title: string, work: () => Promise<T>): Promise<T>;
}
