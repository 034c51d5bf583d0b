import { clsx } from 'clsx'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { TextInput } from '@/ui/field.tsx'
import {
  amountsOf,
  changedOne,
  type Family,
  named,
  resized,
  textAt,
  withoutMember,
  withSize,
  withValue,
} from './family.ts'
import { moneyShown, readMoney } from './sentence-fields.tsx'

interface SizesCardProps {
  readonly family: Family
  /** Paths of the faults of a member that are shown. */
  readonly faultsAt: (n: number) => ReadonlySet<string>
  /** @param n The number of the member that was changed, from 0. */
  readonly onEdit: (family: Family, n: number, path: string) => void
  /** Above the sizes. */
  readonly children?: ReactNode
}

/** One programme for each size: its size, its name, and its dollars. */
export function SizesCard({ family, faultsAt, onEdit, children }: SizesCardProps) {
  const many = family.length > 1
  const columns = many ? amountsOf(family[0].terms).length : 0
  // Further labels would say the same as the first row's, as long as each size has one row.
  const isTable = many && columns <= 4
  const labelled = (n: number) => (isTable && n > 0 ? 'lg:[&_label]:sr-only' : '')
  return (
    <Card title="Sizes and names" className={clsx(many && 'lg:col-span-2')}>
      <div className="flex flex-col gap-4">
        {children}
        <ul aria-label="Sizes" className={clsx('flex flex-col gap-4', isTable && 'lg:gap-2')}>
          {family.map((member, n) => (
            <li key={n} className="flex items-start gap-2">
              <div className={clsx('grid min-w-0 flex-1 grid-cols-2 gap-2', many ? 'lg:grid-cols-6' : '')}>
                <SizeInput
                  label="Account size"
                  className={labelled(n)}
                  error={faultsAt(n).has('accountSize') ? 'Write the size in dollars, like 100,000.' : undefined}
                  value={textAt(member.terms, 'accountSize') ?? ''}
                  onChange={(size) => onEdit(resized(family, n, size), n, 'accountSize')}
                />
                <TextInput
                  label="Name"
                  className={labelled(n)}
                  placeholder={n === 0 ? 'Two-Step 100K' : undefined}
                  error={faultsAt(n).has('name') ? 'Write the name that traders read, up to 200 letters.' : undefined}
                  autoComplete="off"
                  value={textAt(member.terms, 'name') ?? ''}
                  onChange={({ target }) =>
                    onEdit(
                      n === 0
                        ? named(family, target.value)
                        : changedOne(family, n, (each) => ({ ...each, terms: { ...each.terms, name: target.value } })),
                      n,
                      'name',
                    )
                  }
                />
                {many &&
                  amountsOf(member.terms).map(({ path, label }) => (
                    <SizeInput
                      key={path}
                      className={labelled(n)}
                      label={`${label} ($)`}
                      error={
                        faultsAt(n).has(path) && n > 0 ? 'Write an amount in dollars, like 2,000 or 49.50.' : undefined
                      }
                      value={textAt(member.terms, `${path}.amount`) ?? ''}
                      onChange={(amount) =>
                        onEdit(
                          changedOne(family, n, (each) => ({
                            ...each,
                            terms: withValue(each.terms, path, { amount }),
                          })),
                          n,
                          path,
                        )
                      }
                    />
                  ))}
              </div>
              {many && (
                <IconButton
                  className={clsx('mt-6', isTable && n > 0 && 'lg:mt-0')}
                  label={`Leave out ${textAt(member.terms, 'name') || `size ${n + 1}`}`}
                  onClick={() => onEdit(withoutMember(family, n), 0, 'stages')}
                >
                  <X size={16} aria-hidden />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
        {columns > 0 && <p className="text-13 text-muted">Dollars follow the size, until you write others here.</p>}
        <Button look="secondary" className="self-start" onClick={() => onEdit(withSize(family), 0, 'stages')}>
          <Plus size={14} aria-hidden />
          Add Size
        </Button>
      </div>
    </Card>
  )
}

interface SizeInputProps {
  readonly label: string
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (amount: string) => void
  readonly className?: string
}

/** An amount that is read when the field is left: names and dollars follow it. */
function SizeInput({ value, onChange, ...field }: SizeInputProps) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      {...field}
      inputMode="decimal"
      autoComplete="off"
      value={typed ?? moneyShown(value)}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={() => {
        if (typed !== undefined && readMoney(typed) !== value) onChange(readMoney(typed))
        setTyped(undefined)
      }}
    />
  )
}
