package sqlite

import (
	"fmt"
	"strings"

	"github.com/FerretDB/FerretDB/internal/backends/sqlite/metadata"
	"github.com/FerretDB/FerretDB/internal/handler/sjson"
	"github.com/FerretDB/FerretDB/internal/types"
)

// whereIDs looks up the texts of {_id: {$in: […]}} in the index. Any other filter keeps the clause that it has.
func whereIDs(filter *types.Document, clause string, args []any) (string, []any) {
	if clause != "" || filter == nil {
		return clause, args
	}
	id, _ := filter.Get("_id")
	condition, isCondition := id.(*types.Document)
	if !isCondition || condition.Len() != 1 {
		return clause, args
	}
	in, _ := condition.Get("$in")
	ids, isArray := in.(*types.Array)
	if !isArray || ids.Len() == 0 {
		return clause, args
	}
	values := make([]any, ids.Len())
	for n := range values {
		value, _ := ids.Get(n)
		text, isText := value.(string)
		if !isText {
			return clause, args
		}
		json, err := sjson.MarshalSingleValue(text)
		if err != nil {
			return clause, args
		}
		values[n] = string(json)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
	return fmt.Sprintf(` WHERE %s IN (%s)`, metadata.IDColumn, marks), values
}
