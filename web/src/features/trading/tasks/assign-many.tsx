import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import { messageOf } from '@/api/api-error.ts'
import { refetchSubjects } from '@/api/route-query.ts'
import { assignLoginOf } from '@/features/trading/accounts/staff-account-queries.ts'
import { counted } from '@/format/counts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { TextArea } from '@/ui/field.tsx'
import { type ListedLogin, loginsOf, MOST_LOGINS } from './login-list.ts'
import { isAboutAccount, waitingQuery } from './task-queries.ts'

/** Assigns a pasted list of logins, or one from a file, to the accounts that wait: first it shows which goes where. */
export function AssignMany({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient()
  const [text, setText] = useState('')
  // As it was when the list was read: an account that another member serves meanwhile is refused by itself.
  const waiting = useQuery(waitingQuery).data
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, string>>(new Map())
  const { logins, refused } = loginsOf(
    text,
    waiting?.filter(isAboutAccount).filter(({ login }) => login === null) ?? [],
  )
  const [sent, setSent] = useState<readonly ListedLogin[]>()
  const assign = useMutation({
    mutationFn: async (listed: readonly ListedLogin[]) => {
      for (const { line, account, changes } of listed) {
        const outcome = await assignLoginOf(account.account, changes).then(
          () => 'Assigned',
          (error: unknown) => `Failed: ${messageOf(error)}`,
        )
        setOutcomes((before) => new Map(before).set(line, outcome))
      }
    },
    onSettled: () => refetchSubjects(client, 'admin'),
    meta: { session: 'admin' },
  })
  const shown = sent ?? logins
  const readFile = async ({ target }: ChangeEvent<HTMLInputElement>) => setText((await target.files?.[0]?.text()) ?? '')
  const start = () => {
    setSent(logins)
    // The passwords need not be seen any more.
    setText('')
    assign.mutate(logins)
  }
  const assigned = [...outcomes.values()].filter((outcome) => outcome === 'Assigned').length
  return (
    <Dialog
      onClose={onClose}
      stays={assign.isPending}
      width="large"
      title="Assign Logins from a List"
      description={
        sent
          ? `${assigned} of ${counted(sent.length, 'login')} assigned.`
          : `One login a line: login, password, server, platform (mt4 or mt5). A fifth column may name the account or the trader's email; the others go to the accounts that wait longest. At most ${MOST_LOGINS}.`
      }
      footer={
        <>
          <Button look="secondary" disabled={assign.isPending} onClick={onClose}>
            {sent ? 'Close' : 'Cancel'}
          </Button>
          {!assign.isSuccess && (
            <Button busy={assign.isPending} disabled={logins.length === 0 && !sent} onClick={start}>
              Assign {counted(shown.length, 'Login')}
            </Button>
          )}
        </>
      }
    >
      {!sent && (
        <div className="flex flex-col gap-4">
          <TextArea
            label="Logins, one a line"
            rows={6}
            spellCheck={false}
            autoComplete="off"
            className="font-mono"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <label className="text-13">
            Or a CSV file{' '}
            <input type="file" accept=".csv,.txt,text/csv,text/plain" onChange={(event) => void readFile(event)} />
          </label>
        </div>
      )}
      <ul aria-label="What goes where" className="mt-4 flex flex-col">
        {shown.map(({ line, text: login, account }) => (
          <li key={line} className="border-line py-2 text-13 not-last:border-b">
            Line {line}: {login} → {account.userName}, {account.programme}, {account.stage}
            {outcomes.has(line) && <span className="ml-2 font-medium">{outcomes.get(line)}</span>}
          </li>
        ))}
      </ul>
      {!sent && refused.length > 0 && (
        <ul aria-label="Lines that are left out" className="mt-4 flex flex-col text-13 text-bad">
          {refused.map(({ line, refusal }) => (
            <li key={line}>
              Line {line}: {refusal}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
