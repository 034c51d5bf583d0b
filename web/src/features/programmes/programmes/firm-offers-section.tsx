import { useMutation, useQuery } from '@tanstack/react-query'
import { createContext, use, useState } from 'react'
import { type FirmOffer, OfferChange, OffersToAdd, type whyHidden } from '#services/programmes/programmes/offer-api.ts'
import { useMay } from '@/features/frame/access.tsx'
import { programmesQuery } from './programme-queries.ts'
import { counted } from '@/format/counts.ts'
import { useApiForm } from '@/form/api-form.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'
import { QueryTable } from '@/lists/query-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { TextLink } from '@/ui/link.tsx'
import { Menu, MenuItem, MenuSeparator } from '@/ui/menu.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { addOffers, changeOffer, firmOffersQuery, removeOffer } from './firm-offer-queries.ts'

type Opened = { readonly what: 'change' | 'remove'; readonly offer: FirmOffer }

/** Opens a dialog. A context, so that columns can be constants. */
const OpenContext = createContext<(opened: Opened) => void>(() => {})

const none = <span className="text-muted">None</span>

const columns: readonly Column<FirmOffer>[] = [
  {
    header: 'Programme',
    cell: ({ programme, name }) => (
      <TextLink to="/admin/programmes/$id" params={{ id: programme }}>
        {name}
      </TextLink>
    ),
  },
  { header: 'Price', cell: ({ price }) => price || none },
  { header: 'Purchase link', cell: (offer) => <LinkText offer={offer} /> },
  { header: 'On the page', cell: ({ hidden }) => <ShownBadge hidden={hidden} /> },
  { ...actionsColumn, cell: (offer) => <OfferMenu offer={offer} /> },
]

const programmeOf = ({ programme }: FirmOffer) => programme

/** What the page to buy an account sells: programmes with their prices and links, in its order. */
export function FirmOffersSection() {
  const offers = useQuery(firmOffersQuery)
  const programmes = useQuery(programmesQuery)
  const mayChange = useMay('publish-programmes')
  const add = useMutation(addOffers)
  const [opened, setOpened] = useState<Opened | 'add'>()
  const close = () => setOpened(undefined)
  const offered = new Set(offers.data?.offers.map(programmeOf))
  const left = (programmes.data ?? []).filter(
    ({ id, versions }) => !offered.has(id) && versions.some(({ state }) => state === 'published'),
  )
  const all = left.map(({ id }) => id)
  return (
    <OpenContext value={setOpened}>
      <div className="mt-8 mb-3 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 className="text-16 font-semibold">Offers</h2>
          <p className="text-13 text-muted">
            What traders can buy, in the order of their page.{' '}
            {offers.data?.isSet === false && 'None are set: the page shows the standard challenges.'}{' '}
            {offers.data && offers.data.toExample > 0 && (
              <strong className="font-medium text-waiting">
                {counted(offers.data.toExample, 'button')} of the page {offers.data.toExample === 1 ? 'leads' : 'lead'}{' '}
                to an example address, where nobody can buy.
              </strong>
            )}
          </p>
        </div>
        {mayChange && (
          <div className="flex flex-wrap gap-2">
            {offers.data?.offers.length === 0 && all.length > 0 && (
              <Button
                look="secondary"
                busy={add.isPending}
                // The oldest first: the list of programmes begins with the newest.
                onClick={() => add.mutate({ programmes: OffersToAdd.shape.programmes.parse(all.toReversed()) })}
              >
                Offer All {all.length} Programmes
              </Button>
            )}
            <Button look="secondary" disabled={left.length === 0} onClick={() => setOpened('add')}>
              Add Offer
            </Button>
          </div>
        )}
      </div>
      <QueryTable
        label="Offers"
        columns={columns}
        rows={offers.data?.offers}
        rowId={programmeOf}
        query={offers}
        failure="The offers could not be loaded"
        empty={
          <EmptyState title="No offers">
            {offers.data?.isSet
              ? 'The page to buy an account sells nothing now.'
              : 'Once there is one, the page sells what this list has, and nothing else.'}
          </EmptyState>
        }
      />
      {opened === 'add' && <AddOfferForm programmes={left} onClose={close} />}
      {opened !== 'add' && opened?.what === 'change' && <ChangeOfferForm offer={opened.offer} onClose={close} />}
      {opened !== 'add' && opened?.what === 'remove' && (
        <ChangeDialog
          change={removeOffer}
          input={opened.offer}
          label="Remove Offer"
          onClose={close}
          title={`Remove ${opened.offer.name} from the page?`}
          description="Nobody can buy it there any more. Orders that are on their way are taken all the same, until the programme is retired."
        />
      )}
    </OpenContext>
  )
}

const hiddenBadges: Readonly<Record<(typeof whyHidden)[number], string>> = {
  retired: 'Hidden: retired',
  'no-link': 'Hidden: no link',
}

function ShownBadge({ hidden }: Pick<FirmOffer, 'hidden'>) {
  return hidden ? <Badge tone="waiting">{hiddenBadges[hidden]}</Badge> : <Badge tone="good">Shown</Badge>
}

function LinkText({ offer: { link, purchaseUrl, isExample } }: { readonly offer: FirmOffer }) {
  if (link === null) return none
  return (
    <span className="flex flex-col gap-0.5 max-md:items-end">
      <span className="[overflow-wrap:anywhere]">{link}</span>
      {purchaseUrl === null && <span className="text-12 text-muted">From PURCHASE_URL</span>}
      {isExample && <span className="text-12 text-muted">An example address: nobody can buy there</span>}
    </span>
  )
}

function OfferMenu({ offer }: { readonly offer: FirmOffer }) {
  const open = use(OpenContext)
  const { data } = useQuery(firmOffersQuery)
  const change = useMutation(changeOffer)
  const { programme, name } = offer
  if (!useMay('publish-programmes')) return null
  const offers = data?.offers ?? []
  const place = offers.findIndex((each) => each.programme === programme)
  const move = (to: number) => change.mutate({ programme, name, change: { place: to } })
  return (
    <Menu label={`Actions for the offer of ${name}`} busy={change.isPending}>
      <MenuItem onSelect={() => open({ what: 'change', offer })}>Change Price and Link</MenuItem>
      <MenuItem disabled={place <= 0} onSelect={() => move(place - 1)}>
        Move Up
      </MenuItem>
      <MenuItem disabled={place === offers.length - 1} onSelect={() => move(place + 1)}>
        Move Down
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => open({ what: 'remove', offer })}>Remove</MenuItem>
    </Menu>
  )
}

const linkHint = 'Blank for the link of PURCHASE_URL, if it is set. Begins with https://'

interface AddOfferFormProps {
  /** Those that are published and not offered. */
  readonly programmes: readonly { readonly id: string; readonly name: string }[]
  readonly onClose: () => void
}

function AddOfferForm({ programmes, onClose }: AddOfferFormProps) {
  const add = useMutation(addOffers)
  const { field, handleSubmit, showRefusal } = useApiForm(OffersToAdd, {
    programmes: [programmes[0]?.id ?? ''],
    price: '',
    purchaseUrl: '',
  })
  const onSubmit = handleSubmit((body) => add.mutate(body, { onSuccess: onClose, onError: showRefusal }))
  return (
    <FormDialog
      title="Add Offer"
      description="Once the firm has offers, the page sells those, and nothing else."
      submit="Add Offer"
      change={add}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Select
        label="Programme"
        options={programmes.map(({ id, name }) => ({ value: id, label: name }))}
        {...field('programmes.0')}
      />
      <TextInput label="Price" hint="As buyers read it: $49, once" autoComplete="off" {...field('price')} />
      <TextInput label="Purchase link" hint={linkHint} inputMode="url" autoComplete="off" {...field('purchaseUrl')} />
    </FormDialog>
  )
}

function ChangeOfferForm({ offer, onClose }: { readonly offer: FirmOffer; readonly onClose: () => void }) {
  const change = useMutation(changeOffer)
  const { programme, name, price, purchaseUrl } = offer
  const { field, handleSubmit, showRefusal } = useApiForm(OfferChange.pick({ price: true, purchaseUrl: true }), {
    price,
    purchaseUrl: purchaseUrl ?? '',
  })
  const onSubmit = handleSubmit(({ price: text = '', purchaseUrl: link = '' }) =>
    change.mutate(
      { programme, name, change: { price: text, purchaseUrl: link } },
      { onSuccess: onClose, onError: showRefusal },
    ),
  )
  return (
    <FormDialog
      title="Change Offer"
      about={programme}
      description={name}
      submit="Save Changes"
      change={change}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextInput label="Price" hint="As buyers read it: $49, once" autoComplete="off" {...field('price')} />
      <TextInput label="Purchase link" hint={linkHint} inputMode="url" autoComplete="off" {...field('purchaseUrl')} />
    </FormDialog>
  )
}
