import { clsx } from 'clsx'
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'

export interface Tab<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly content: ReactNode
}

interface TabsProps<Value extends string> {
  /** Name of the row of tabs. */
  readonly label: string
  readonly tabs: readonly Tab<Value>[]
  /** The selected tab, from the address. */
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** Elements that the Tab key reaches. */
const stops = [
  'a[href]',
  'button:not(:disabled)',
  'input:not(:disabled)',
  'select:not(:disabled)',
  'textarea:not(:disabled)',
  'summary',
  '[tabindex="0"]',
].join()

/**
 * Tabs by the ARIA pattern: one tab takes the focus; arrows, Home and End move it. The panel takes the focus only
 * without focusable content. Renders the content of the selected tab only. Bind `value` to a search parameter. Radix's
 * tabs would add a tenth to the first load of the sign-in screen.
 */
export function Tabs<Value extends string>({ label, tabs, value, onChange }: TabsProps<Value>) {
  const id = useId()
  const shown = tabs.find((tab) => tab.value === value)
  const panel = useRef<HTMLDivElement>(null)
  const hasFocus = useRef(false)
  // A link in a panel may lead to another tab: it goes with its panel, and the focus would be nowhere.
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body)
      document.getElementById(`${id}-tab-${value}`)?.focus({ preventScroll: true })
    hasFocus.current = false
  }, [id, value])
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    // Checked on every Tab key: the panel's content changes independently.
    if (event.key === 'Tab' && panel.current) panel.current.tabIndex = panel.current.querySelector(stops) ? -1 : 0
    const now = tabs.findIndex((tab) => tab.value === value)
    const target = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: tabs.length - 1 }[event.key]
    const next = target === undefined ? undefined : tabs[(target + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    onChange(next.value)
    document.getElementById(`${id}-tab-${next.value}`)?.focus()
  }
  return (
    <div>
      <div
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        className="mb-6 flex flex-wrap gap-x-1 border-b max-sm:gap-x-0.5 border-line print:hidden"
        onKeyDown={onKeyDown}
      >
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-tab-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={tab.value === value ? `${id}-panel` : undefined}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
            className={clsx(
              'min-h-10 rounded-t-md border-b-2 px-3 py-1 text-left text-14 max-sm:px-1.5 max-sm:text-13 font-medium -outline-offset-2! transition-colors duration-150 hover:text-ink',
              tab.value === value ? 'border-accent text-ink' : 'border-transparent text-muted',
            )}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {shown && (
        <div
          key={shown.value}
          ref={panel}
          role="tabpanel"
          id={`${id}-panel`}
          aria-labelledby={`${id}-tab-${shown.value}`}
          tabIndex={-1}
          onFocus={() => (hasFocus.current = true)}
          onBlur={() => (hasFocus.current = false)}
          className="rounded-md outline-offset-4"
        >
          {shown.content}
        </div>
      )}
    </div>
  )
}
