import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { type Option, Select, TextInput } from '../../../ui/field.tsx'
import { FROM_THE_START, useChangeAddress } from './address.ts'

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
  const change = useChangeAddress()
  const [draft, setDraft] = useState<string>()
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(pause.current), [])
  const search = async (text: string) => {
    clearTimeout(pause.current)
    onSearch?.(text)
    await change({ ...FROM_THE_START, search: text }, { replace: present !== undefined })
    // Unless more was typed meanwhile, the field shows the address again, also after going back.
    setDraft((current) => (current === text ? undefined : current))
  }
  const type = (text: string) => {
    setDraft(text)
    clearTimeout(pause.current)
    pause.current = setTimeout(() => void search(text), TYPING_PAUSE)
  }
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={draft ?? present ?? ''}
      onChange={(event) => type(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && void search(event.currentTarget.value)}
      className={className}
    />
  )
}

/** The filters and the export of a list: on a phone behind one button, which says how many are on. */
export function Filters({ on, children }: { readonly on: number; readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look="secondary" className="col-span-full md:hidden" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Filters and export{on > 0 && ` (${on} on)`}
      </Button>
      <div className={isOpen ? 'contents' : 'contents max-md:hidden'}>{children}</div>
    </>
  )
}

interface FilterProps {
  readonly name: 'status' | 'phase' | 'payouts' | 'sort'
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
