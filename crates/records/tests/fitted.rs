//! Columns of other libraries have the values that Arrow's own cast gives them, or are refused.

use std::sync::Arc;

use arrow_array::types::{Int16Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, Float32Array, Float64Array,
    Int8Array, Int64Array, LargeStringArray, ListArray, NullArray, StringArray, StringViewArray,
    StructArray, UInt16Array, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Fields};
use barecode_records::fitted;
use proptest::prelude::*;

const NUMBERS: [DataType; 10] = [
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
    DataType::Float32,
    DataType::Float64,
];

/// A column of texts in one of the ways that libraries have.
fn some_texts() -> impl Strategy<Value = ArrayRef> {
    let texts = prop::collection::vec(prop::option::of("[a-cé]{0,3}"), 0..8);
    (texts, 0..4).prop_map(|(texts, way)| match way {
        0 => Arc::new(StringArray::from(texts)) as ArrayRef,
        1 => Arc::new(LargeStringArray::from(texts)),
        2 => Arc::new(StringViewArray::from(texts)),
        _ => Arc::new(
            texts
                .iter()
                .map(|text| text.as_deref())
                .collect::<DictionaryArray<Int16Type>>(),
        ),
    })
}

/// A column of whole numbers of some width, or as floating point.
fn some_numbers() -> impl Strategy<Value = ArrayRef> {
    let numbers = prop::collection::vec(prop::option::of(-2_i8..100), 0..8);
    (numbers, 0..5).prop_map(|(numbers, way)| {
        let numbers = numbers.into_iter();
        match way {
            0 => Arc::new(numbers.collect::<Int8Array>()) as ArrayRef,
            1 => Arc::new(numbers.map(|it| it.map(i64::from)).collect::<Int64Array>()),
            2 => {
                let numbers = numbers.map(|it| it.map(|it| u16::from(it.unsigned_abs())));
                Arc::new(numbers.collect::<UInt16Array>())
            }
            3 => Arc::new(
                numbers
                    .map(|it| it.map(f32::from))
                    .collect::<Float32Array>(),
            ),
            _ => Arc::new(
                numbers
                    .map(|it| it.map(f64::from))
                    .collect::<Float64Array>(),
            ),
        }
    })
}

/// The column in lists of two.
fn lists(column: ArrayRef, is_nullable: bool) -> ArrayRef {
    let field = Field::new("item", column.data_type().clone(), is_nullable);
    let mut lengths = vec![2; column.len() / 2];
    lengths.push(column.len() % 2);
    let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
    Arc::new(ListArray::new(Arc::new(field), offsets, column, None))
}

fn element(kind: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new("element", kind, true)))
}

proptest! {
    #[test]
    fn texts_are_those_of_the_oracle(column in some_texts()) {
        let expected = cast(&column, &DataType::LargeUtf8).unwrap();
        prop_assert_eq!(&fitted(&column, &DataType::LargeUtf8).unwrap(), &expected);
        for kind in NUMBERS {
            prop_assert!(fitted(&column, &kind).is_none());
        }
        let expected = cast(&lists(Arc::clone(&expected), true), &element(DataType::LargeUtf8)).unwrap();
        let found = fitted(&lists(column, true), &element(DataType::LargeUtf8)).unwrap();
        prop_assert_eq!(&found, &expected);
    }

    #[test]
    fn numbers_are_those_of_the_oracle_or_refused(column in some_numbers(), start in 0_usize..3) {
        let column = column.slice(start.min(column.len()), column.len() - start.min(column.len()));
        for kind in NUMBERS {
            let expected = cast(&column, &kind).unwrap();
            let found = fitted(&column, &kind);
            // The oracle empties cells that are out of range.
            if expected.null_count() > column.null_count() {
                prop_assert!(found.is_none(), "{kind}");
            } else {
                prop_assert_eq!(&found.unwrap(), &expected);
                let listed = lists(Arc::clone(&column), true);
                let listed = listed.slice(listed.len() / 2, listed.len() - listed.len() / 2);
                let expected = cast(&listed, &element(kind.clone())).unwrap();
                prop_assert_eq!(&fitted(&listed, &element(kind)).unwrap(), &expected);
            }
        }
        prop_assert!(fitted(&column, &DataType::LargeUtf8).is_none());
        prop_assert!(fitted(&column, &DataType::Boolean).is_none());
    }

    #[test]
    fn structures_are_found_by_name(texts in some_texts(), is_more in any::<bool>()) {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![7; texts.len()]));
        let mut columns = vec![("text", Arc::clone(&texts)), ("line", Arc::clone(&numbers))];
        if is_more {
            columns.push(("more", numbers));
        }
        let of = |(name, column): &(&str, ArrayRef)| {
            Field::new(*name, column.data_type().clone(), true)
        };
        let fields: Fields = columns.iter().map(of).collect();
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        let column: ArrayRef = Arc::new(StructArray::new(fields, columns, None));
        let wanted = |name| DataType::Struct(Fields::from(vec![
            Field::new("line", DataType::UInt32, false),
            Field::new(name, DataType::LargeUtf8, true),
        ]));
        let found = fitted(&column, &wanted("text")).unwrap();
        prop_assert_eq!(found.data_type(), &wanted("text"));
        let found = found.as_any().downcast_ref::<StructArray>().unwrap();
        prop_assert_eq!(found.column(1), &cast(&texts, &DataType::LargeUtf8).unwrap());
        prop_assert!(fitted(&column, &wanted("other")).is_none());
    }
}

#[test]
fn what_is_no_value_of_the_type_is_refused() {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::INFINITY]));
    let fractions: ArrayRef = Arc::new(Float64Array::from(vec![0.5]));
    let large: ArrayRef = Arc::new(Float64Array::from(vec![1e300]));
    let most: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
    for column in [&floats, &fractions, &large, &most] {
        assert!(fitted(column, &DataType::Int64).is_none());
        assert!(fitted(column, &DataType::Float64).is_some());
    }
    assert_eq!(&fitted(&most, &DataType::UInt64).unwrap(), &most);
    let empty: ArrayRef = Arc::new(StringArray::from(vec![None::<&str>]));
    let wanted = Field::new("element", DataType::LargeUtf8, false);
    assert!(fitted(&lists(empty, true), &DataType::LargeList(Arc::new(wanted))).is_none());
    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    assert!(fitted(&flags, &DataType::UInt8).is_none());
    assert_eq!(&fitted(&flags, &DataType::Boolean).unwrap(), &flags);
}

#[test]
fn lists_of_one_length_are_lists() {
    let numbers: ArrayRef = Arc::new((0..8).map(Some).collect::<Int64Array>());
    let field = Arc::new(Field::new("item", DataType::Int64, true));
    let pairs: ArrayRef = Arc::new(FixedSizeListArray::new(field, 2, numbers, None));
    let pairs = pairs.slice(1, 2);
    let expected = cast(&pairs, &element(DataType::UInt32)).unwrap();
    assert_eq!(
        &fitted(&pairs, &element(DataType::UInt32)).unwrap(),
        &expected
    );
}

#[test]
fn a_column_without_a_type_and_a_dictionary_without_words_are_empty() {
    let nothing: ArrayRef = Arc::new(NullArray::new(2));
    let no_words = DictionaryArray::<Int32Type>::new(
        vec![None, None].into(),
        Arc::new(StringArray::from(Vec::<&str>::new())),
    );
    let no_words: ArrayRef = Arc::new(no_words);
    for column in [nothing, no_words] {
        let found = fitted(&column, &DataType::LargeUtf8).unwrap();
        assert_eq!((found.len(), found.null_count()), (2, 2));
    }
}
