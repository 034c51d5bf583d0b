import { useMutation, useQuery } from '@tanstack/react-query'
import { CoinCodesChange } from '#services/payments/batches/batch-api.ts'
import { codeLabels } from '#services/payments/batches/coin-code-vocabulary.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { TextInput } from '@/ui/field.tsx'
import { changeCoinCodes, coinCodesQuery } from './batch-queries.ts'

/** The codes that stand in a file for wallets: of a coin on a network, and of a network. */
export function CoinCodesDialog({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery(coinCodesQuery)
  return data && <CoinCodesForm codes={data.codes} onClose={onClose} />
}

interface CoinCodesFormProps {
  readonly codes: Readonly<Record<string, string>>
  readonly onClose: () => void
}

function CoinCodesForm({ codes, onClose }: CoinCodesFormProps) {
  const change = useMutation(changeCoinCodes)
  const { field, handleSubmit, showRefusal } = useApiForm(CoinCodesChange, { ...codes })
  const onSubmit = handleSubmit((body) => change.mutate(body, { onSuccess: onClose, onError: showRefusal }))
  return (
    <FormDialog
      title="Codes of Coins"
      description="What your provider calls a coin on a network (column Currency) and a network (column Network). Batches that were released keep the codes that they had."
      submit="Save"
      change={change}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        {Object.entries(codeLabels).map(([name, label]) => (
          <TextInput key={name} label={label} autoComplete="off" spellCheck={false} {...field(name)} />
        ))}
      </div>
    </FormDialog>
  )
}
