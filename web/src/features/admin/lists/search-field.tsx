import { useEffect, useRef, useState } from 'react'
import { TextInput } from '../../../ui/field.tsx'

/** Long enough that keys struck together ask once, short enough that nobody waits for it. What is overtaken is called off. */
const TYPING_PAUSE = 50

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  /** What the address says. */
  readonly value: string
  /** Puts it into the address. */
  readonly onSearch: (text: string) => Promise<void>
  readonly className?: string
}

/** A search that goes on while it is typed. What was typed shows at once; the address follows with the next pause. */
export function SearchField({ label, placeholder, value, onSearch, className }: SearchFieldProps) {
  const [draft, setDraft] = useState<string>()
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(pause.current), [])
  const search = async (text: string) => {
    clearTimeout(pause.current)
    await onSearch(text)
    // Unless more was typed meanwhile, the address has it now, and follows also when somebody goes back.
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
