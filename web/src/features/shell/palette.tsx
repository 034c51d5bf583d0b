import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import * as Primitive from '@radix-ui/react-dialog'
import { Command as Box } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { type Command, commandSources } from './palette-commands.ts'

interface Group {
  readonly title: string
  readonly commands: readonly Command[]
}

/** Ctrl/⌘ K: go to a page, find somebody, act. What is found may offer actions of its own; Escape goes back from them. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<Command>()
  // Where the focus goes back to, unless a command leads it elsewhere.
  const [opener] = useState(() => document.activeElement)
  const hasRun = useRef(false)
  const everything = useGroups(found ? '' : typed)
  const groups = found ? [{ title: found.label, commands: (found.actions ?? []).filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase())) }] : everything
  // The box itself loses its choice when answers come and go: then the first one is chosen again.
  const [chosen, setChosen] = useState('')
  const values = groups.flatMap(({ title, commands }) => commands.map((command) => valueOf(title, command)))
  const goBack = () => {
    setFound(undefined)
    setTyped('')
  }
  const choose = (command: Command) => {
    if (command.actions) {
      setFound(command)
      setTyped('')
    } else {
      hasRun.current = true
      onClose()
      command.run?.()
    }
  }
  return (
    <Primitive.Root open onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <div aria-hidden className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <Primitive.Content
          data-dialog
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (!hasRun.current && opener instanceof HTMLElement) opener.focus()
          }}
          onEscapeKeyDown={(event) => {
            if (!found) return
            event.preventDefault()
            goBack()
          }}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 animate-appear overflow-hidden rounded-lg border border-line bg-card shadow-float"
        >
          <Primitive.Title className="sr-only">Search and commands</Primitive.Title>
          <Box shouldFilter={false} loop label="Search and commands" value={values.includes(chosen) ? chosen : (values[0] ?? '')} onValueChange={setChosen}>
            <Box.Input
              value={typed}
              onValueChange={setTyped}
              onKeyDown={(event) => event.key === 'Backspace' && typed === '' && goBack()}
              placeholder={found ? `What to do with ${found.label}` : 'Go to a page, or find somebody'}
              className="h-12 w-full border-b border-line bg-card px-4 text-16 outline-none"
            />
            <Box.List className="max-h-[50vh] overflow-y-auto p-1.5">
              <Box.Empty className="px-3 py-6 text-center text-muted">Nothing found</Box.Empty>
              {groups.map(({ title, commands }) => (
                <Box.Group key={title} heading={title} className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-12 [&_[cmdk-group-heading]]:text-muted">
                  {commands.map((command) => (
                    <Box.Item
                      key={command.id}
                      value={valueOf(title, command)}
                      onSelect={() => choose(command)}
                      className="flex h-10 cursor-pointer items-center justify-between gap-3 rounded-md px-2.5 text-14 data-[selected=true]:bg-hover"
                    >
                      <span className="truncate">{command.label}</span>
                      {command.hint !== undefined && <span className="truncate text-12 text-muted">{command.hint}</span>}
                    </Box.Item>
                  ))}
                </Box.Group>
              ))}
            </Box.List>
          </Box>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

function valueOf(title: string, { id }: Command): string {
  return `${title} ${id}`
}

/** What all sources find, each as soon as it has answered. */
function useGroups(typed: string): readonly Group[] {
  const [groups, setGroups] = useState<readonly Group[]>([])
  const router = useRouter()
  const queryClient = useQueryClient()
  useEffect(() => {
    const asked = new AbortController()
    const sources = commandSources()
    const found = new Map<string, readonly Command[]>()
    for (const { title, find } of sources) {
      Promise.resolve(find(typed, { router, queryClient, signal: asked.signal }))
        // A source that fails offers nothing; the others go on.
        .catch((): readonly Command[] => [])
        .then((commands) => {
          if (asked.signal.aborted) return
          found.set(title, commands)
          setGroups(sources.flatMap((source) => (found.get(source.title)?.length ? [{ title: source.title, commands: found.get(source.title) ?? [] }] : [])))
        })
    }
    return () => asked.abort()
  }, [typed, router, queryClient])
  return groups
}
