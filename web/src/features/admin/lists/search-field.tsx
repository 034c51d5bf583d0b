import { useEffect, useRef, useState } from 'react'
import { TextInput } from '../../../ui/field.tsx'

/** Debounce in ms: one request for keys typed together, without a noticeable delay. */
const TYPING_PAUSE = 50

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  /** The search in the address. */
  readonly value: string
  /** Puts it into the address. */
  readonly onSearch: (text: string) => Promise<void>
  readonly className?: string
}

/** Searches while typing. The field updates at once, the address after a short pause. */
export function SearchField({ label, placeholder, value, onSearch, className }: SearchFieldProps) {
  const [draft, setDraft] = useState<string>()
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(pause.current), [])
  const search = async (text: string) => {
    clearTimeout(pause.current)
    await onSearch(text)
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
      label={label}
      type="search"
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={draft ?? value}
      onChange={(event) => type(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && void search(event.currentTarget.value)}
      className={className}
    />
  )
}
