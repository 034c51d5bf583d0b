import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useWatch } from 'react-hook-form'
import type { OwnAccount } from '#services/modules/accounts/account-api.ts'
import { type PayoutMethod, PayoutRequest, type PayoutSummary } from '#services/modules/payouts/payout-api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { useApiForm } from '@/form/api-form.ts'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { FormError } from '@/ui/states.tsx'
import { useUnsaved } from '@/ui/unsaved-work.ts'
import { accountQuery } from '@/features/accounts/account-queries.ts'
import { useChosenAccount } from '@/features/accounts/chosen-account.ts'
import { PayoutIntent } from './intent.ts'
import { centsOf, formatMoney } from '@/format/money.ts'
import { detailsFields, methodName, methodOf, methodOptions } from './methods.ts'
import { profitWarning } from './profit-and-requests.tsx'
import { requestPayout } from './payout-queries.ts'

const empty = { amount: '', paymentMethod: '', paymentDetails: '' }

interface RequestFormProps {
  readonly account: OwnAccount
  /** The sums behind a request; undefined while they are not known. */
  readonly summary: PayoutSummary | undefined
}

/** Requests a payout from an account (specification §2, §5). Another account needs another form. */
export function RequestForm({ account: { id, payout: terms }, summary }: RequestFormProps) {
  const { named } = useChosenAccount()
  const client = useQueryClient()
  const request = useMutation(requestPayout)
  const intent = useRef(new PayoutIntent()).current
  const { control, field, formState, getValues, handleSubmit, reset, resetField, setFocus, setValue, showRefusal } =
    useApiForm(PayoutRequest, empty)
  const [amount, paymentMethod, destination] = useWatch({
    control,
    name: ['amount', 'paymentMethod', 'paymentDetails'],
  })
  const onSubmit = handleSubmit(({ paymentMethod, paymentDetails }) => {
    // The amount is sent as it was typed.
    const draft = { amount: getValues('amount'), paymentMethod, paymentDetails }
    request.mutate(
      { account: id, draft, key: intent.keyOf(draft) },
      {
        onSuccess: () => {
          intent.done()
          setFocus('amount')
          reset()
          toast('Payout requested', 'Your payout request has been submitted successfully.')
        },
        onError: async (error) => {
          showRefusal(error)
          if (await refusedAsIneligible(client, named, error))
            toastFailure('Payouts disabled', 'Your account is not currently eligible for payouts.')
          else if (!(error instanceof ApiError && error.banned))
            toastFailure('Request failed', messageOf(error), { brief: true })
        },
      },
    )
  })
  const warning = summary && !terms && profitWarning(amount, summary)
  const method = methodOf(paymentMethod)
  const details = method && detailsFields[method]
  const { isDirty } = formState
  useUnsaved(() => isDirty)
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <TextInput
        label="Amount"
        type="number"
        inputMode="decimal"
        step="0.01"
        min="0.01"
        autoComplete="off"
        hint="In US dollars"
        {...field('amount')}
      />
      {terms && centsOf(terms.available) > 0 && (
        <Button
          look="quiet"
          className="-mt-2 self-start"
          onClick={() => setValue('amount', terms.available, { shouldDirty: true })}
        >
          Take the available {formatMoney(terms.available)}
        </Button>
      )}
      <p role="status" className="-mt-2 text-13 text-bad empty:hidden">
        {warning}
      </p>
      <Select
        label="Payment Method"
        placeholder="Select a payment method"
        options={methodOptions}
        // An email address of one service is not valid for another.
        {...field('paymentMethod', { onChange: () => resetField('paymentDetails') })}
      />
      {details?.type === 'lines' && (
        <TextArea label={details.label} placeholder={details.placeholder} {...field('paymentDetails')} />
      )}
      {details && details.type !== 'lines' && (
        <TextInput
          {...details}
          autoComplete={details.type === 'email' ? 'email' : 'off'}
          {...field('paymentDetails')}
        />
      )}
      {centsOf(amount) > 0 && method && (
        <RequestSummary amount={amount} method={method} destination={destination} terms={terms} />
      )}
      <FormError error={request.error} />
      <Button
        type="submit"
        busy={request.isPending}
        className="self-start"
        // Ignores the second click of a double click.
        onClick={(event) => event.detail > 1 && event.preventDefault()}
      >
        Request Payout
      </Button>
    </form>
  )
}

interface RequestSummaryProps {
  readonly amount: string
  readonly method: PayoutMethod
  readonly destination: string
  readonly terms: OwnAccount['payout']
}

/** What is about to be asked for, beside the button: no further step. */
function RequestSummary({ amount, method, destination, terms }: RequestSummaryProps) {
  const isAll = terms !== null && centsOf(amount) === centsOf(terms.available)
  return (
    <p className="text-14">
      <strong>{formatMoney(amount)}</strong> by {methodName(method)}
      {destination.trim() && <> to {destination.trim()}</>}.
      {terms && (
        <>
          {' '}
          {isAll
            ? `You receive ${formatMoney(terms.traderReceives)}`
            : `You receive ${terms.split}% of the profit in it`}
          ; the amount leaves your account.
        </>
      )}
    </p>
  )
}

/** Reads the account again: an administrator may have disabled payouts meanwhile. */
async function refusedAsIneligible(client: QueryClient, named: string | undefined, error: unknown): Promise<boolean> {
  if (!(error instanceof ApiError) || error.status !== 403 || error.banned) return false
  const account = await client.fetchQuery({ ...accountQuery(named), staleTime: 0 }).catch(() => undefined)
  return account?.payoutEnabled === false
}
