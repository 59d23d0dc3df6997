//! Columns of other libraries as the columns of records.
//!
//! Libraries for tables have texts as views and dictionaries, whole numbers as floating point once a cell is empty,
//! offsets of 32 bits, and columns without a type if all is empty. [`schema`](crate::table::schema) has one type for
//! each: large texts and lists, numbers of the width of their field, structures.
//!
//! Arrow's own cast kernel knows every pair of its types and is more compiled code than all readers of this crate; it
//! also truncates, and empties cells that do not fit. It is the oracle of the tests.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, GenericListArray, LargeListArray, LargeStringArray, OffsetSizeTrait,
    PrimitiveArray, StructArray, new_null_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, FieldRef, Fields};

/// Every whole number up to here is one of `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns a column with the type of a record's column; `None` if it has other values.
///
/// Text does not become a number. Where the record has whole numbers, a number must be whole and in range, and NaN becomes
/// an empty cell.
///
/// ```
/// use arrow_array::{Array, ArrayRef, Float64Array, UInt32Array};
/// use arrow_schema::DataType;
/// use std::sync::Arc;
/// let column: ArrayRef = Arc::new(Float64Array::from(vec![Some(2.0), Some(f64::NAN)]));
/// let fitted = barecode_records::fitted(&column, &DataType::UInt32).unwrap();
/// assert_eq!(fitted.as_ref(), &UInt32Array::from(vec![Some(2), None]) as &dyn Array);
/// let column: ArrayRef = Arc::new(Float64Array::from(vec![0.5]));
/// assert!(barecode_records::fitted(&column, &DataType::UInt32).is_none());
/// ```
pub fn fitted(column: &ArrayRef, wanted: &DataType) -> Option<ArrayRef> {
    if column.data_type() == wanted {
        return Some(Arc::clone(column));
    }
    if *column.data_type() == DataType::Null {
        return Some(new_null_array(wanted, column.len()));
    }
    match wanted {
        DataType::LargeUtf8 => Some(Arc::new(texts(column)?)),
        DataType::Int8 => whole::<Int8Type>(column),
        DataType::Int16 => whole::<Int16Type>(column),
        DataType::Int32 => whole::<Int32Type>(column),
        DataType::Int64 => whole::<Int64Type>(column),
        DataType::UInt8 => whole::<UInt8Type>(column),
        DataType::UInt16 => whole::<UInt16Type>(column),
        DataType::UInt32 => whole::<UInt32Type>(column),
        DataType::UInt64 => whole::<UInt64Type>(column),
        DataType::Float32 => narrow(column),
        DataType::Float64 => Some(Arc::new(floats(column)?)),
        DataType::LargeList(element) => list(column, element),
        DataType::Struct(fields) => structure(column, fields),
        _ => None,
    }
}

/// The texts of a column, which may be views or words of a dictionary.
fn texts(column: &ArrayRef) -> Option<LargeStringArray> {
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().clone()),
        DataType::Utf8View => Some(column.as_string_view().iter().collect()),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let words = texts(dictionary.values())?;
            // Keys of a dictionary without words are not asked for.
            let keys = if words.is_empty() {
                vec![0; column.len()]
            } else {
                dictionary.normalized_keys()
            };
            let keys = keys.into_iter().enumerate();
            let words = keys.map(|(at, key)| {
                (dictionary.is_valid(at) && words.is_valid(key)).then(|| words.value(key))
            });
            Some(words.collect())
        }
        _ => None,
    }
}

/// The whole numbers of a column of any width.
fn integers(column: &ArrayRef) -> Option<Vec<Option<i128>>> {
    fn of<T: ArrowPrimitiveType<Native: Into<i128>>>(column: &ArrayRef) -> Vec<Option<i128>> {
        let numbers = column.as_primitive::<T>().iter();
        numbers.map(|number| number.map(Into::into)).collect()
    }
    Some(match column.data_type() {
        DataType::Int8 => of::<Int8Type>(column),
        DataType::Int16 => of::<Int16Type>(column),
        DataType::Int32 => of::<Int32Type>(column),
        DataType::Int64 => of::<Int64Type>(column),
        DataType::UInt8 => of::<UInt8Type>(column),
        DataType::UInt16 => of::<UInt16Type>(column),
        DataType::UInt32 => of::<UInt32Type>(column),
        DataType::UInt64 => of::<UInt64Type>(column),
        _ => return None,
    })
}

/// A column of numbers as whole ones of a width.
fn whole<T: ArrowPrimitiveType>(column: &ArrayRef) -> Option<ArrayRef>
where
    T::Native: TryFrom<i128>,
{
    let numbers: Vec<Option<i128>> = match column.data_type() {
        DataType::Float32 | DataType::Float64 => {
            let numbers = floats(column)?;
            let numbers = numbers.iter().map(|number| match number {
                Some(number) if !number.is_nan() => of_float(number).map(Some),
                _ => Some(None),
            });
            numbers.collect::<Option<_>>()?
        }
        _ => integers(column)?,
    };
    let fit = |number: Option<i128>| match number {
        Some(number) => T::Native::try_from(number).ok().map(Some),
        None => Some(None),
    };
    let fitted: Option<PrimitiveArray<T>> = numbers.into_iter().map(fit).collect();
    Some(Arc::new(fitted?))
}

/// A number without a fraction; `None` for others.
fn of_float(number: f64) -> Option<i128> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is whole and below the bound"
    )]
    let whole = number as i128;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(whole)
}

/// The numbers of a column; whole ones are rounded to the nearest.
fn floats(column: &ArrayRef) -> Option<PrimitiveArray<Float64Type>> {
    match column.data_type() {
        DataType::Float64 => Some(column.as_primitive::<Float64Type>().clone()),
        DataType::Float32 => {
            let numbers = column.as_primitive::<Float32Type>().iter();
            Some(numbers.map(|number| number.map(f64::from)).collect())
        }
        _ => {
            let numbers = integers(column)?.into_iter();
            Some(numbers.map(|number| number.map(|it| it as f64)).collect())
        }
    }
}

/// The numbers of a column, rounded to the nearest of 32 bits.
fn narrow(column: &ArrayRef) -> Option<ArrayRef> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "embeddings are of this width"
    )]
    let narrow = |number: f64| number as f32;
    let numbers = floats(column)?;
    let numbers: PrimitiveArray<Float32Type> = numbers.iter().map(|it| it.map(narrow)).collect();
    Some(Arc::new(numbers))
}

/// A column of lists with fitted elements.
fn list(column: &ArrayRef, element: &FieldRef) -> Option<ArrayRef> {
    let (lengths, values) = match column.data_type() {
        DataType::List(_) => parts(column.as_list::<i32>())?,
        DataType::LargeList(_) => parts(column.as_list::<i64>())?,
        DataType::FixedSizeList(_, length) => {
            let lists = column.as_fixed_size_list();
            let length = usize::try_from(*length).ok()?;
            (vec![length; lists.len()], Arc::clone(lists.values()))
        }
        _ => return None,
    };
    let values = fitted(&values, element.data_type())?;
    let offsets = OffsetBuffer::from_lengths(lengths);
    let nulls = column.nulls().cloned();
    let lists = LargeListArray::try_new(Arc::clone(element), offsets, values, nulls).ok()?;
    Some(Arc::new(lists))
}

/// The lengths of lists, and the elements of all of them.
fn parts<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Option<(Vec<usize>, ArrayRef)> {
    let offsets = lists.offsets();
    let (first, last) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
    let values = lists.values().slice(first, last - first);
    Some((offsets.lengths().collect(), values))
}

/// A column of structures with fitted fields, found by name; others are left out.
fn structure(column: &ArrayRef, fields: &Fields) -> Option<ArrayRef> {
    let found = column.as_struct_opt()?;
    let columns = fields.iter().map(|field| {
        let column = found.column_by_name(field.name())?;
        fitted(column, field.data_type())
    });
    let columns: Option<Vec<ArrayRef>> = columns.collect();
    let nulls = found.nulls().cloned();
    let structures = StructArray::try_new(fields.clone(), columns?, nulls).ok()?;
    Some(Arc::new(structures))
}
