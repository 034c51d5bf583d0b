import * as Primitive from '@radix-ui/react-tabs'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export interface Tab<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly content: ReactNode
}

interface TabsProps<Value extends string> {
  /** Name of the row of tabs. */
  readonly label: string
  readonly tabs: readonly Tab<Value>[]
  /** Which one is shown; the address says so, not this component. */
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly className?: string
}

/** Tabs whose content is made only for the one that is shown. Bind `value` to a search parameter. */
export function Tabs<Value extends string>({ label, tabs, value, onChange, className }: TabsProps<Value>) {
  const choose = (chosen: string) => {
    const tab = tabs.find((one) => one.value === chosen)
    if (tab) onChange(tab.value)
  }
  return (
    <Primitive.Root value={value} onValueChange={choose} className={className}>
      <Primitive.List aria-label={label} className="mb-6 flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Primitive.Trigger
            key={tab.value}
            value={tab.value}
            className={clsx(
              'h-10 shrink-0 -outline-offset-2! rounded-t-md border-b-2 border-transparent px-3 text-14 font-medium text-muted transition-colors duration-150 hover:text-ink',
              'data-[state=active]:border-accent data-[state=active]:text-ink',
            )}
          >
            {tab.label}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content key={tab.value} value={tab.value} className="rounded-md">
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  )
}
