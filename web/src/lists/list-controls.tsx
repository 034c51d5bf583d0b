import { useSearch } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { type ReactNode, useState } from 'react'
import { problemOfLimit } from '@/form/typed-amount.ts'
import { Button } from '@/ui/button.tsx'
import { type Option, Select, TextInput } from '@/ui/field.tsx'
import { FROM_THE_START, useChangeAddress, useDraft } from './address.ts'
import { startOfDay } from './list-query.ts'

/** The controls above a list. Their values are in the address. */

/** Debounce in ms: one request for keys typed together, without a noticeable delay. */
const TYPING_PAUSE = 50

interface SearchFieldProps {
  readonly placeholder: string
  /** Called before the address changes. */
  readonly onSearch?: (text: string) => void
  readonly className?: string
}

/** Searches while typing. The field updates at once, the address after a short pause. */
export function SearchField({ placeholder, onSearch, className }: SearchFieldProps) {
  const { search: present } = useSearch({ strict: false })
  const changeAddress = useChangeAddress()
  const { draft, change, writeNow } = useDraft(TYPING_PAUSE, (search: string) => {
    onSearch?.(search)
    return changeAddress({ ...FROM_THE_START, search }, { replace: present !== undefined })
  })
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={draft ?? present ?? ''}
      onChange={(event) => change(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && void writeNow(event.currentTarget.value)}
      className={className}
    />
  )
}

interface FiltersProps {
  /** How many are on of those behind the button. */
  readonly on: number
  /** These are behind the button in a wide window too. */
  readonly folded?: ReactNode
  readonly children: ReactNode
}

/**
 * The filters and the export of a list: on a phone behind one button, which says how many are on. One that does not fit is
 * shown with what is wrong.
 */
export function Filters({ on, folded, children }: FiltersProps) {
  const [isOpen, setIsOpen] = useState(false)
  // What is mended there fits then, and stays in sight.
  const keepOpen = () => setIsOpen(true)
  return (
    <>
      <Button
        look="secondary"
        className={clsx('max-md:col-span-full', folded === undefined && 'md:hidden')}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span>
          Filters<span className="md:hidden"> and export</span>
          {on > 0 && ` (${on} on)`}
        </span>
      </Button>
      <div
        className={isOpen ? 'contents' : 'contents max-md:not-has-aria-invalid:hidden'}
        onFocus={folded === undefined ? keepOpen : undefined}
      >
        {children}
      </div>
      {folded !== undefined && (
        <div
          className={clsx(
            'col-span-full grid grid-cols-subgrid items-end gap-3',
            !isOpen && 'not-has-aria-invalid:hidden',
          )}
          onFocus={keepOpen}
        >
          {folded}
        </div>
      )}
    </>
  )
}

interface FilterProps {
  readonly name:
    | 'status'
    | 'phase'
    | 'payouts'
    | 'payment'
    | 'method'
    | 'olderThan'
    | 'overdue'
    | 'approvals'
    | 'kind'
    | 'observed'
    | 'sort'
  readonly label: string
  /** The choice without a filter. */
  readonly none?: string
  readonly options: readonly Option[]
}

/** A choice between filters or orders. */
export function Filter({ name, label, none = 'All', options }: FilterProps) {
  const chosen = useSearch({ strict: false })[name] ?? ''
  const change = useChangeAddress()
  // A link may contain a value that is not among the options.
  const isKnown = chosen === '' || options.some(({ value }) => value === chosen)
  return (
    <Select
      label={label}
      placeholder={none}
      options={isKnown ? options : [...options, { value: chosen, label: chosen }]}
      value={chosen}
      onChange={({ target }) => void change({ ...FROM_THE_START, [name]: target.value })}
    />
  )
}

/** A limit of amounts, in dollars. What is no amount, or has two readings, is said and filters nothing. */
export function AmountFilter({ name, label }: { readonly name: 'minAmount' | 'maxAmount'; readonly label: string }) {
  const present = useSearch({ strict: false })[name]
  const changeAddress = useChangeAddress()
  const { draft, change } = useDraft(TYPING_PAUSE, (amount: string) =>
    changeAddress({ ...FROM_THE_START, [name]: amount }, { replace: present !== undefined }),
  )
  const shown = draft ?? present ?? ''
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      placeholder="Any"
      autoComplete="off"
      value={shown}
      error={problemOfLimit(shown)}
      onChange={(event) => change(event.target.value)}
    />
  )
}

/** The first or the last day of a list, in the chosen zone. A text of a link that is no day is said and filters nothing. */
export function DayFilter({
  name,
  label,
}: {
  readonly name: 'from' | 'to' | 'since' | 'until'
  readonly label: string
}) {
  const present = useSearch({ strict: false })
  const changeAddress = useChangeAddress()
  const { draft, change } = useDraft(TYPING_PAUSE, (day: string) =>
    changeAddress({ ...FROM_THE_START, [name]: day }, { replace: present[name] !== undefined }),
  )
  const shown = draft ?? present[name] ?? ''
  const isDay = startOfDay(shown) !== undefined
  const begins = { to: present.from, until: present.since, from: undefined, since: undefined }[name]
  const first = startOfDay(begins) !== undefined ? begins : undefined
  return (
    <TextInput
      label={label}
      type="date"
      value={isDay ? shown : ''}
      error={
        shown !== '' && !isDay
          ? `“${shown}” is no date, so it does not filter`
          : isDay && first !== undefined && shown < first
            ? 'Before the first day: nothing is found'
            : undefined
      }
      onChange={(event) => change(event.target.value)}
    />
  )
}
