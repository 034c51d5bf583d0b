import { clsx } from 'clsx'
import { ChevronDown, Eye, EyeOff } from 'lucide-react'
import { useId, useState, type ComponentProps, type ReactNode } from 'react'

interface FieldProps {
  /** Visible, and the control's accessible name. */
  readonly label: string
  readonly hint?: ReactNode
  /** The validation message. */
  readonly error?: string | undefined
  readonly className?: string | undefined
}

/** Attributes that connect a control to its label, hint and error. */
export interface ControlAttributes {
  readonly id: string
  readonly 'aria-invalid': true | undefined
  readonly 'aria-describedby': string | undefined
}

/** A control with its label above, and its hint and error below. */
export function Field({
  label,
  hint,
  error,
  className,
  children,
}: FieldProps & { readonly children: (tied: ControlAttributes) => ReactNode }) {
  const id = useId()
  return (
    <div className={clsx('flex min-w-0 flex-col gap-1', className)}>
      <label id={`${id}-label`} htmlFor={id} className="text-13 font-medium">
        {label}
      </label>
      {children(controlAttributes({ id, hint, error }))}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  )
}

type NotesProps = Pick<FieldProps, 'hint' | 'error'> & { readonly id: string }

/** Hint and error below a control. */
function FieldNotes({ id, hint, error }: NotesProps) {
  return (
    <>
      {hint && (
        <p id={`${id}-hint`} className="text-12 text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-12 text-bad">
          {forPeople(error)}
        </p>
      )}
    </>
  )
}

/** A message of a schema as a sentence for the person who types: 'expected a column' asks for one. */
function forPeople(message: string): string {
  const [, what] = /^expected (.+)$/.exec(message) ?? []
  if (what === undefined) return message.slice(0, 1).toUpperCase() + message.slice(1)
  return `Please ${what.startsWith('a column') ? 'choose' : 'enter'} ${what}`
}

/** Connects a control to its {@link FieldNotes}. */
function controlAttributes({ id, hint, error }: NotesProps): ControlAttributes {
  return {
    id,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': clsx(hint && `${id}-hint`, error && `${id}-error`) || undefined,
  }
}

/** Classes of all input controls. */
export const control =
  'h-9 w-full min-w-0 rounded-md border border-edge bg-card px-3 text-14 text-ink [&[type=file]]:py-1.5 transition-colors duration-150 [&[readonly]]:bg-sunken [&[readonly]]:text-muted disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted aria-invalid:border-bad'

/** The props of a labelled control. */
type Labelled<Element extends 'input' | 'textarea' | 'select'> = FieldProps & Omit<ComponentProps<Element>, 'className'>

/** A labelled text input. */
export function TextInput({ label, hint, error, className, ...input }: Labelled<'input'>) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(tied) => <input type="text" {...input} {...tied} className={control} />}
    </Field>
  )
}

/** A labelled multi-line input. */
export function TextArea({ label, hint, error, className, ...area }: Labelled<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(tied) => <textarea rows={3} {...area} {...tied} className={clsx(control, 'h-auto! py-2')} />}
    </Field>
  )
}

/** A labelled password input that can show its text. Its error says what the hint says, so it replaces the hint. */
export function PasswordInput({ label, hint, error, className, ...input }: Labelled<'input'>) {
  const [shown, setShown] = useState(false)
  return (
    <Field label={label} hint={error === undefined && hint} error={error} className={className}>
      {(tied) => (
        <div className="relative">
          <input
            {...input}
            {...tied}
            data-secret
            type={shown ? 'text' : 'password'}
            className={clsx(control, 'pr-10')}
          />
          <button
            type="button"
            // The name omits the label, so that only the field has the label's name.
            aria-label={shown ? 'Hide what is typed' : 'Show what is typed'}
            aria-describedby={`${tied.id}-label`}
            className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-md text-muted hover:text-ink"
            onClick={() => setShown(!shown)}
          >
            {shown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
          </button>
        </div>
      )}
    </Field>
  )
}

type SelectProps = Labelled<'select'> & { readonly options: readonly Option[]; readonly placeholder?: string }

export interface Option {
  readonly value: string
  readonly label: string
  /** The heading that it stands under, after those without one. */
  readonly group?: string
}

/** A labelled native select. */
export function Select({ label, hint, error, className, options, placeholder, ...select }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(tied) => (
        <div className="relative">
          <select {...select} {...tied} className={clsx(control, 'appearance-none pr-8')}>
            {placeholder !== undefined && <option value="">{placeholder}</option>}
            {[...new Set(options.map(({ group }) => group))].map((group) => {
              const shown = options
                .filter((option) => option.group === group)
                .map(({ value, label: text }) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))
              return group === undefined ? (
                shown
              ) : (
                <optgroup key={group} label={group}>
                  {shown}
                </optgroup>
              )
            })}
          </select>
          <ChevronDown size={16} aria-hidden className="pointer-events-none absolute top-2.5 right-2.5 text-muted" />
        </div>
      )}
    </Field>
  )
}

/** A checkbox with its label. */
export function Checkbox({
  label,
  hint,
  error,
  className,
  ...input
}: Omit<Labelled<'input'>, 'label'> & { readonly label: ReactNode }) {
  const id = useId()
  return (
    <div className={clsx('flex flex-col gap-1', className)}>
      <label className="flex items-start gap-2 text-14">
        <input
          {...input}
          {...controlAttributes({ id, hint, error })}
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
        />
        <span>{label}</span>
      </label>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  )
}
