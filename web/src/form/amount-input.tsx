import { type ComponentProps, type FocusEvent, type KeyboardEvent, useRef, useState, useSyncExternalStore } from 'react'
import { formatMoney } from '@/format/money.ts'
import { TextInput } from '@/ui/field.tsx'
import { ambiguityOf, readTypedAmount } from './typed-amount.ts'

type AmountInputProps = Omit<ComponentProps<typeof TextInput>, 'type' | 'value' | 'onBlur'> &
  Pick<ComponentProps<'input'>, 'onBlur'>

/**
 * A field of a form for an amount: text, since a browser's number field drops what it does not know and sends the rest.
 * Leaving the field, or Enter, writes what was read as calls take it; while typing it is said below. What two people
 * could read differently stays as it was typed, with both readings.
 */
export function AmountInput({ hint, error, ref, onChange, onBlur, onKeyDown, ...input }: AmountInputProps) {
  const element = useRef<HTMLInputElement>(null)
  // The form changes the text, too: a click takes the available, a sent form is empty again.
  const present = useSyncExternalStore(
    (changed) => {
      const field = element.current
      field?.addEventListener('input', changed)
      return () => field?.removeEventListener('input', changed)
    },
    () => element.current?.value ?? '',
  )
  /** The text that the field was left with. */
  const [left, setLeft] = useState('')
  const read = readTypedAmount(present)
  const isOther = read && 'amount' in read && read.amount !== present
  const settle = (event: FocusEvent<HTMLInputElement> | KeyboardEvent<HTMLInputElement>) => {
    const field = event.currentTarget
    const settled = readTypedAmount(field.value)
    if (settled && 'amount' in settled && settled.amount !== field.value) {
      field.value = settled.amount
      void onChange?.({ ...event, type: 'change', target: field, currentTarget: field })
    }
    setLeft(field.value)
  }
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      {...input}
      ref={(field: HTMLInputElement | null) => {
        element.current = field
        if (typeof ref === 'function') ref(field)
      }}
      hint={isOther ? `Read as ${formatMoney(read.amount)}` : hint}
      error={(left === present && ambiguityOf(present)) || error}
      onChange={onChange}
      onBlur={(event) => {
        settle(event)
        onBlur?.(event)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') settle(event)
        onKeyDown?.(event)
      }}
    />
  )
}
