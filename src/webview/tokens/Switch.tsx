import type { JSX } from 'preact';
import { moveFocus } from '../ui/Menu';

export interface SwitchProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A small group of choices: one stop of the Tab key, and the arrow keys choose. */
export function Switch<T extends string>({ label, options, value, onChange }: SwitchProps<T>): JSX.Element {
  return (
    <div
      class="switch"
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => {
        const { currentTarget } = event;
        const isMoved =
          moveFocus(event, currentTarget, '[role=radio]', 'horizontal') ||
          moveFocus(event, currentTarget, '[role=radio]', 'vertical');
        if (!isMoved) return;
        event.preventDefault();
        const at = [...currentTarget.children].findIndex((each) => each === document.activeElement);
        const option = options[at];
        if (option !== undefined) onChange(option.value);
      }}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          class="switch-option"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          onClick={() => {
            onChange(option.value);
          }}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
