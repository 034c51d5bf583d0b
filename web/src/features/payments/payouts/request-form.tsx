import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useWatch } from 'react-hook-form'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { type ListedPayout, PayoutRequest, type PayoutSummary } from '#services/payments/payouts/payout-api.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { shortDestination } from '#services/trading/stream/destination-vocabulary.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { AmountInput } from '@/form/amount-input.tsx'
import { useApiForm } from '@/form/api-form.ts'
import { readTypedAmount } from '@/form/typed-amount.ts'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { Select } from '@/ui/field.tsx'
import { FormError } from '@/ui/states.tsx'
import { useUnsaved } from '@/ui/unsaved-work.ts'
import { accountQuery } from '@/features/trading/accounts/account-queries.ts'
import { useChosenAccount } from '@/features/trading/accounts/chosen-account.ts'
import { centsOf, formatMoney } from '@/format/money.ts'
import { DestinationFields } from './destination-fields.tsx'
import { type DestinationDraft, emptyDestination, sentDestination, valuesOf } from './destination-values.ts'
import { hasToWait, receivesOf } from '@/features/trading/accounts/payout-words.ts'
import { methodName, methodOf, methodOptions } from './methods.ts'
import { profitWarning } from './profit-and-requests.tsx'
import { newIdempotencyKey } from '@/api/intention.ts'
import { type PayoutDraft, requestPayout } from './payout-queries.ts'
import { savedDestinationsQuery } from './saved-destination-queries.ts'

/**
 * Gives each intended payout its idempotency key. An unchanged draft keeps its key until the request succeeds, so that
 * a retry after a lost answer pays once. After a success the same draft means another payout.
 */
export class PayoutIntent {
  #draft: string | undefined
  #key = ''

  keyOf(draft: PayoutDraft): string {
    const text = JSON.stringify([draft.amount, draft.paymentMethod, draft.paymentDetails, draft.destination])
    if (text !== this.#draft) {
      this.#draft = text
      this.#key = newIdempotencyKey()
    }
    return this.#key
  }

  /** The request succeeded: the next one is another payout. */
  done(): void {
    this.#draft = undefined
  }
}

const NOWHERE =
  'This request does not say where the money goes yet. You can send it, but it is paid only once you have said so.'

const empty = { amount: '', paymentMethod: '', ...emptyDestination }

/** The server checks the destination, by libraries that pages do not load. */
const Request = PayoutRequest.omit({ destination: true, paymentDetails: true })

interface RequestFormProps {
  readonly account: OwnAccount
  /** The sums behind a request; undefined while they are not known. */
  readonly summary: PayoutSummary | undefined
  /** The trader's payouts, the newest first: where money went before. */
  readonly payouts: readonly ListedPayout[]
}

/** Requests a payout from an account (specification §2, §5). Another account needs another form. */
export function RequestForm({ account: { id, payout: terms }, summary, payouts }: RequestFormProps) {
  const { named } = useChosenAccount()
  const client = useQueryClient()
  const request = useMutation(requestPayout)
  const saved = useQuery(savedDestinationsQuery)
  const intent = useRef(new PayoutIntent()).current
  const { control, field, formState, getValues, handleSubmit, reset, setFocus, setValue, showRefusal } = useApiForm(
    Request,
    empty,
  )
  const [amount, paymentMethod, paymentDetails, account, destination] = useWatch({
    control,
    name: ['amount', 'paymentMethod', 'paymentDetails', 'account', 'destination'],
  })
  const fill = ({ paymentDetails, account, destination }: DestinationDraft) => {
    setValue('paymentDetails', paymentDetails)
    setValue('account', account)
    setValue('destination', destination, { shouldDirty: true })
  }
  const onSubmit = handleSubmit(({ paymentMethod }) => {
    const { amount, ...to } = getValues()
    // The amount is sent as it was typed.
    const draft = { amount, paymentMethod, ...sentDestination(paymentMethod, to) }
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
  // What was read: the summary does not move the button when the field is left for it.
  const read = readTypedAmount(amount)
  const asked = read && 'amount' in read ? read.amount : ''
  const warning = summary && !terms && profitWarning(asked, summary)
  const method = methodOf(paymentMethod)
  const choices = (saved.data ?? []).filter(({ paymentMethod, confirmed }) => confirmed && paymentMethod === method)
  const before = method && payouts.find((payout) => payout.paymentMethod === method)?.destination
  const to = method && sentDestination(method, { paymentDetails, account, destination })
  const { isDirty } = formState
  useUnsaved(() => isDirty)
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <AmountInput label="Amount" step="0.01" hint="In US dollars" {...field('amount')} />
      {terms && centsOf(terms.available) > 0 && !hasToWait(terms) && (
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
        {...field('paymentMethod', { onChange: () => fill(emptyDestination) })}
      />
      {before && (
        <Button look="quiet" className="-mt-2 self-start" onClick={() => fill(valuesOf(before))}>
          Use {shortDestination(before)} again
        </Button>
      )}
      {choices.length > 0 && (
        <Select
          label="Saved Destinations"
          placeholder="Choose one"
          options={choices.map(({ id, name }) => ({ value: id, label: name }))}
          value=""
          onChange={({ target }) => {
            const chosen = choices.find(({ id }) => id === target.value)?.destination
            if (chosen) fill(valuesOf(chosen))
          }}
        />
      )}
      {method && (
        <DestinationFields
          method={method}
          account={account}
          network={destination.network}
          allowsWords
          field={field}
          // A coin of one network need not exist on another.
          onNetwork={() => setValue('destination.coin', '')}
        />
      )}
      <p role="status" className="-mt-2 text-13 text-bad empty:hidden">
        {to && !to.destination && to.paymentDetails.trim() === '' && NOWHERE}
      </p>
      {centsOf(asked) > 0 && method && to && (
        <RequestSummary
          amount={asked}
          method={method}
          destination={Object.values(to.destination ?? { paymentDetails }).join(', ')}
          isChecked={to.destination !== null}
          terms={terms}
        />
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
  /** The server checks it. */
  readonly isChecked: boolean
  readonly terms: OwnAccount['payout']
}

/** Shows the request that is about to be sent, beside the button: no further step. */
function RequestSummary({ amount, method, destination, isChecked, terms }: RequestSummaryProps) {
  return (
    <p className="text-14">
      <strong>{formatMoney(amount)}</strong> by {methodName(method)}
      {destination.trim() && (
        <>
          {' '}
          to <span className="[overflow-wrap:anywhere]">{destination.trim()}</span>
          {!isChecked && ' (not checked)'}
        </>
      )}
      .{terms && ` ${receivesOf(amount, terms)}`}
    </p>
  )
}

/** Reads the account again: an administrator may have disabled payouts meanwhile. */
async function refusedAsIneligible(client: QueryClient, named: string | undefined, error: unknown): Promise<boolean> {
  if (!(error instanceof ApiError) || error.status !== 403 || error.banned) return false
  const account = await client.fetchQuery({ ...accountQuery(named), staleTime: 0 }).catch(() => undefined)
  return account?.payoutEnabled === false
}
